"""The goals, as ratios in one run, and whether the figures meet them.

They compare minima, which other processes disturb least; the tables have the medians.
"""

import dataclasses
from collections.abc import Iterator

from .contest import Entry
from .measure import Figure
from .own import Startup, Tree
from .validate import Check

# Clusters of the goals that do not say otherwise.
SIZE = 1_000
LARGE = 10_000


@dataclasses.dataclass(frozen=True)
class Goal:
    """One goal: what is compared, what is wanted, what was found."""

    name: str
    wanted: str
    found: str
    met: bool


def at_most(name: str, limit: float, ratio: float) -> Goal:
    return Goal(name, f"at most {limit} times", f"{ratio:.2f} times", ratio <= limit)


def startup(found: Startup) -> Iterator[Goal]:
    for what, figure in (("`--version`", found.version), ("`render` of one cluster", found.one_cluster)):
        spent = (figure.cpu_min - found.nothing.cpu_min) * 1000
        name = f"Start-up, {what}, beyond an empty process"
        yield Goal(name, "under 10 ms of CPU", f"{spent:.1f} ms", spent < 10)


def streams(found: list[Entry]) -> Iterator[Goal]:
    entries = [entry for entry in found if entry.clusters == SIZE]
    ours = next((entry for entry in entries if entry.is_ours), None)
    theirs = [entry for entry in entries if not entry.is_ours]
    if ours and theirs:
        fastest = min(theirs, key=lambda entry: entry.figure.cpu_min)
        ratio = fastest.figure.cpu_min / ours.figure.cpu_min
        name = f"Objects of {SIZE} clusters, CPU against the fastest peer ({fastest.tool})"
        yield Goal(name, "10 times less", f"{ratio:.1f} times less", ratio >= 10)


def trees(found: list[Tree]) -> Iterator[Goal]:
    by_size = {tree.clusters: tree for tree in found}
    usual, large = by_size.get(SIZE), by_size.get(LARGE)
    if usual:
        name = f"`render -o` of {SIZE} clusters, {usual.files} files, against `cp -r`"
        yield from cpu_and_wall(name, 3, usual.render, usual.copy)
        name = "The same again, no change, against `sha256sum` of every file"
        yield from cpu_and_wall(name, 1.5, usual.again, usual.digests)
    if large:
        peak = max(large.render.rss_kib, large.again.rss_kib) / 1024
        yield Goal(f"Memory at {LARGE} clusters", "under 1024 MiB", f"{peak:.0f} MiB", peak < 1024)
    if usual and large:
        growth = large.render.cpu_min / usual.render.cpu_min / (LARGE / SIZE)
        yield at_most(f"CPU a cluster at {LARGE} clusters, against {SIZE}", 1.2, growth)
        growth = large.render.rss_kib / usual.render.rss_kib / (LARGE / SIZE)
        yield at_most(f"Memory a cluster at {LARGE} clusters, against {SIZE}", 1.2, growth)


def check(found: Check) -> Iterator[Goal]:
    name = f"`check` of {found.objects} objects, against kubeconform"
    yield from cpu_and_wall(name, 1, found.ours, found.kubeconform)


def cpu_and_wall(name: str, limit: float, ours: Figure, theirs: Figure) -> Iterator[Goal]:
    yield at_most(f"{name}, CPU", limit, ours.cpu_min / theirs.cpu_min)
    yield at_most(f"{name}, wall", limit, ours.wall_min / theirs.wall_min)
