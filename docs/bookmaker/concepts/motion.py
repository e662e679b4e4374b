"""A body on an orbit, by two kinds of steps."""

import math

from .style import Picture

PICTURES = ("orbits",)
STEPS, TURNS = 60, 3  # steps of a turn


def pull(x):
    """The acceleration towards a unit mass at the origin."""
    cube = math.hypot(*x) ** 3
    return -x[0] / cube, -x[1] / cube


def moved(a, by, factor):
    return a[0] + factor * by[0], a[1] + factor * by[1]


def euler(x, v, dt):
    return moved(x, v, dt), moved(v, pull(x), dt)


def leapfrog(x, v, dt):
    v = moved(v, pull(x), dt / 2)
    x = moved(x, v, dt)
    return x, moved(v, pull(x), dt / 2)


def energy(x, v):
    return (v[0] ** 2 + v[1] ** 2) / 2 - 1 / math.hypot(*x)


def orbit(step):
    """(position, velocity) after every step from the nearest point of an orbit of eccentricity 0.3 and semi-axis 1."""
    state = [((0.7, 0.0), (0.0, math.sqrt(1.3 / 0.7)))]
    for _ in range(TURNS * STEPS):
        state.append(step(*state[-1], 2 * math.pi / STEPS))
    return state


def orbits():
    """A body near a mass, for the time of three turns. With Euler's step it leaves its orbit outwards and makes less
    than one turn. With leapfrog it makes three and stays close to one ellipse, whose axis turns slowly."""
    kept = [energy(*state) for state in orbit(leapfrog)]
    swing = (max(kept) - min(kept)) / 0.5
    lost = (energy(*orbit(euler)[-1]) + 0.5) / 0.5
    picture = Picture("A body near a mass, for the time of three turns", 330,
                      f"In the time of three turns Euler's step loses {100 * lost:.0f} % of the binding energy; "
                      f"leapfrog changes it by {100 * swing:.1f} %.")
    picture.legend(42, ("line", "line-orange thick", "Euler's step"), ("line", "line-blue thick", "leapfrog"),
                   ("dot", "fill-ink", "mass"))
    place = [[x for x, _ in orbit(step)] for step in (euler, leapfrog)]
    low = [min(x[a] for path in place for x in path) for a in (0, 1)]
    high = [max(x[a] for path in place for x in path) for a in (0, 1)]
    scale = min(440 / (high[0] - low[0]), 260 / (high[1] - low[1]))
    left = (480 - scale * (high[0] - low[0])) / 2

    def at(x):
        return left + scale * (x[0] - low[0]), 56 + scale * (high[1] - x[1])

    for path, colour in zip(place, ("orange", "blue")):
        picture.path([at(x) for x in path], f"line-{colour}")
        for x in path[::STEPS // 10]:
            picture.circle(*at(x), 2, f"fill-{colour}")
    picture.circle(*at((0, 0)), 5, "fill-ink")
    return picture
