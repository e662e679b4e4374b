"""Performance portability as Pennycook, Sewall and Lee define it (arXiv:1611.07409).

The score of an application over a set of platforms is the harmonic mean of its efficiencies on
them, and 0 if it does not run on one of them. Two efficiencies are used here:

    application efficiency  best time known on the platform over this time
    bandwidth efficiency    how well a kernel uses the bandwidth of the platform, relative to the
                            platform where it uses it best. The bytes that it moves need not be
                            known, because they are the same on all platforms.

A cascade shows efficiencies from the best platform to the worst, and the score of the best one,
two, ... platforms (Sewall and others, 2020).
"""


def score(efficiencies):
    """Harmonic mean; 0 if the application fails to run on a platform, None without platforms."""
    if not efficiencies:
        return None
    if any(not e for e in efficiencies):
        return 0.0
    return len(efficiencies) / sum(1 / e for e in efficiencies)


def application_efficiencies(seconds):
    """{(application, platform): efficiency} from {(application, platform): seconds}."""
    best = {}
    for (_, platform), time in seconds.items():
        best[platform] = min(time, best.get(platform, time))
    return {key: best[key[1]] / time for key, time in seconds.items()}


def bandwidth_efficiencies(seconds, bandwidth):
    """The same for one kernel, from {platform: seconds} and {platform: bytes per second}."""
    used = {p: 1 / (time * bandwidth[p]) for p, time in seconds.items() if time > 0}
    most = max(used.values(), default=None)
    return {p: u / most for p, u in used.items()}


def cascade(efficiencies):
    """[(efficiency, score of the platforms so far)], best platform first."""
    ordered = sorted(efficiencies, reverse=True)
    return [(e, score(ordered[:k + 1])) for k, e in enumerate(ordered)]
