# SPDX-License-Identifier: BSD-3-Clause
"""Numbers with units, and lists of ranks, in words."""


def percent(part, whole):
    return 100.0 * part / whole if whole > 0 else 0.0


def share(part, whole):
    """A part as a percentage, with a digit behind the point where it is small."""
    value = percent(part, whole)
    if 0 < value < 0.05:
        return "less than 0.1 %"
    return "%.0f %%" % value if value >= 10 or value == 0 else "%.1f %%" % value


def rounded(value):
    """To three digits, as it is printed."""
    return float("%.3g" % value)


def duration(seconds):
    """A length of time with a unit that suits it."""
    if rounded(seconds / 60) >= 60:
        return "%.3g h" % (seconds / 3600)
    if rounded(seconds / 60) >= 10:
        return "%.3g min" % (seconds / 60)
    for unit, factor in (("s", 1), ("ms", 1e3), ("µs", 1e6)):
        if rounded(seconds * factor) >= 1:
            return "%.3g %s" % (seconds * factor, unit)
    return "%.0f ns" % (seconds * 1e9)


def size(count):
    """A number of bytes with a unit that suits it."""
    for unit, factor in (("TiB", 1 << 40), ("GiB", 1 << 30), ("MiB", 1 << 20), ("KiB", 1 << 10)):
        if count >= factor:
            return "%.4g %s" % (count / factor, unit)
    return "%.3g B" % count if count < 1000 else "%d B" % count


def ranks_list(ranks):
    """[3, 7] as "ranks 3 and 7"; of many, how many they are, and the first."""
    ranks = sorted(ranks)
    if len(ranks) == 1:
        return "rank %d" % ranks[0]
    if len(ranks) > 6:
        if ranks[-1] - ranks[0] == len(ranks) - 1:
            return "ranks %d to %d" % (ranks[0], ranks[-1])
        return "%d ranks (%s, ...)" % (len(ranks), ", ".join(str(rank) for rank in ranks[:3]))
    return "ranks %s and %d" % (", ".join(str(rank) for rank in ranks[:-1]), ranks[-1])


def verb(ranks, one, many):
    """The verb that suits so many ranks."""
    return one if len(ranks) == 1 else many
