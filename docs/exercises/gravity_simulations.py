"""gravity_simulations.py: the exercises of docs/gravity-simulations.md."""

import math


# [begin turn]
# 1. Two bodies on a circle are one body on a circle about a fixed mass: r = 1, v = 1, energy -1/2. Euler's step
# leaves the circle along the tangent in every step: the orbit grows, and the energy with it. Leapfrog
# follows a circle of its own, and its energy stays.
def energy_after_a_turn(step, steps):
    x, v, dt = (1.0, 0.0), (0.0, 1.0), 2 * math.pi / steps
    for _ in range(steps):
        x, v = step(x, v, dt)
    return (v[0] ** 2 + v[1] ** 2) / 2 - 1 / math.hypot(*x)


def moved(a, by, factor):
    return a[0] + factor * by[0], a[1] + factor * by[1]


def pull(x):
    return moved((0.0, 0.0), x, -math.hypot(*x) ** -3)


def euler(x, v, dt):
    return moved(x, v, dt), moved(v, pull(x), dt)


def leapfrog(x, v, dt):
    v = moved(v, pull(x), dt / 2)
    x = moved(x, v, dt)
    return x, moved(v, pull(x), dt / 2)


assert 0.17 < energy_after_a_turn(euler, 100) + 0.5 < 0.18       # a third of the energy
assert abs(energy_after_a_turn(leapfrog, 100) + 0.5) < 1e-9  # 2e-12
# [end turn]


# [begin balls]
# 2. A box with sides a, b, c has a half diagonal of d = sqrt(a^2 + b^2 + c^2) / 2 and a ball of radius
# 2 d / (sqrt(3) theta). The centre of each half is a quarter of a side away from that of the whole. Its ball
# is inside if 1/4 + radius of the half <= radius of the whole: 1/4 <= 2 (D - d) / (sqrt(3) theta).
def largest_angle(whole, half):
    reach = [math.hypot(*box) / 2 for box in (whole, half)]
    return 8 * (reach[0] - reach[1]) / math.sqrt(3)


cube, half, quarter, eighth = (1, 1, 1), (0.5, 1, 1), (0.5, 0.5, 1), (0.5, 0.5, 0.5)
assert 0.53 < largest_angle(cube, half) < 0.54       # at 0.7 the half sticks out,
assert 0.63 < largest_angle(half, quarter) < 0.64    # and so does the quarter,
assert 0.82 < largest_angle(quarter, eighth) < 0.83  # but the small cube does not
# [end balls]
