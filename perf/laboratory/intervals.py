"""Confidence of the ratio of two medians: bootstrap intervals from raw samples.

Both sets of samples are resampled with replacement many times; the interval contains the central part
of the ratios of the resampled medians. Samples within one process vary less than processes do, so the
interval underestimates the noise. With few samples it is as wide as their extremes allow.
"""

import random
import statistics

RESAMPLES = 2000
FEWEST = 5  # samples; experiments that compare times take at least as many


def bootstrap(before, after, confidence=0.99, seed=1):
    """(low, high) of median(after) / median(before)."""
    draw = random.Random(seed)
    ratios = sorted(
        statistics.median(draw.choices(after, k=len(after)))
        / statistics.median(draw.choices(before, k=len(before))) for _ in range(RESAMPLES))
    tail = (1 - confidence) / 2
    return ratios[int(tail * RESAMPLES)], ratios[min(RESAMPLES - 1, int((1 - tail) * RESAMPLES))]


def judge(before, after, better="smaller", threshold=0.05, confidence=0.99):
    """{"verdict", "ratio", "low", "high"}; a ratio above 1 is worse.

    regression     the interval is above 1 and the ratio beyond the threshold
    improvement    the same on the other side
    no difference  the whole interval is within the threshold
    too noisy      none of these can be concluded
    """
    if better == "larger":
        before, after = after, before
    if not before or not after:
        return {"verdict": "too noisy", "ratio": None, "low": None, "high": None}
    if min(len(before), len(after)) < FEWEST or min(*before, *after) <= 0:
        ratio = statistics.median(after) / statistics.median(before) \
            if statistics.median(before) else None
        return {"verdict": "too noisy", "ratio": ratio, "low": None, "high": None}
    ratio = statistics.median(after) / statistics.median(before)
    low, high = bootstrap(before, after, confidence)
    if low > 1 and ratio > 1 + threshold:
        verdict = "regression"
    elif high < 1 and ratio < 1 / (1 + threshold):
        verdict = "improvement"
    elif low >= 1 / (1 + threshold) and high <= 1 + threshold:
        verdict = "no difference"
    else:
        verdict = "too noisy"
    return {"verdict": verdict, "ratio": ratio, "low": low, "high": high}


def judge_exact(before, after, better):
    """The same for counts, which have no noise: any change to the worse is a regression."""
    ratio = after / before if before else None
    if before == after:
        verdict = "no difference"
    elif better == "neither":
        verdict = "changed"
    else:
        verdict = "regression" if (after > before) == (better == "smaller") else "improvement"
    return {"verdict": verdict, "ratio": ratio, "low": ratio, "high": ratio}
