"""The results as JSON, and as Markdown for docs/performance.md."""

import dataclasses
import json
import os
import platform
from collections.abc import Iterable

from .contest import Entry
from .measure import Figure
from .own import Startup, Tree
from .validate import Check


@dataclasses.dataclass
class Results:
    """What was measured; none of what was not asked for."""

    startup: Startup | None = None
    trees: list[Tree] = dataclasses.field(default_factory=list)
    streams: list[Entry] = dataclasses.field(default_factory=list)
    check: Check | None = None

    def to_json(self) -> str:
        return json.dumps({**dataclasses.asdict(self), "machine": machine()}, indent=1) + "\n"

    def to_markdown(self) -> str:
        parts = [f"Machine: {machine()}. CPU is user and system time in seconds, minimum / median."]
        parts += [table(section) for section in (self.goals(), self.startups(), self.tree_rows(), self.stream_rows())]
        return "\n\n".join(part for part in parts if part) + "\n"

    def goals(self) -> list[list[str]]:
        rows = [["Goal", "Wanted", "Found", "Met"]]
        for name, wanted, found, met in self.judged():
            rows.append([name, wanted, found, "yes" if met else "**no**"])
        return rows

    def judged(self) -> Iterable[tuple[str, str, str, bool]]:
        if self.startup:
            nothing = self.startup.nothing.cpu_median
            for name, figure in (("`--version`", self.startup.version), ("`render` of one cluster", self.startup.one_cluster)):
                spent = (figure.cpu_median - nothing) * 1000
                yield f"Start-up, {name}, beyond an empty process", "under 10 ms of CPU", f"{spent:.1f} ms", spent < 10
        size = 1_000
        streams = [entry for entry in self.streams if entry.clusters == size]
        ours = [entry for entry in streams if entry.tool == "banlieue-gen"]
        theirs = sorted((entry.figure.cpu_min, entry.tool) for entry in streams if entry.tool != "banlieue-gen")
        if ours and theirs:
            ratio = theirs[0][0] / ours[0].figure.cpu_min
            yield f"Objects of {size} clusters, CPU against the fastest peer ({theirs[0][1]})", "10 times less", f"{ratio:.1f} times less", ratio >= 10
        for tree in self.trees:
            if tree.clusters == size:
                yield from pair(f"`render -o` of {size} clusters, {tree.files} files, against `cp -r`", 3, tree.render, tree.copy)
                yield from pair("The same again, no change, against `sha256sum` of every file", 1.5, tree.again, tree.digests)
            if tree.clusters == 10_000:
                peak = max(tree.render.rss_kib, tree.again.rss_kib) / 1024
                yield "Memory at 10000 clusters", "under 1024 MiB", f"{peak:.0f} MiB", peak < 1024
        large = [tree for tree in self.trees if tree.clusters >= size]
        if len(large) > 1:
            each = [tree.render.cpu_min / tree.clusters for tree in large]
            growth = each[-1] / each[0]
            yield f"CPU a cluster at {large[-1].clusters}, against {large[0].clusters}", "at most 1.2 times", f"{growth:.2f} times", growth <= 1.2
        if self.check:
            ratio = self.check.ours.cpu_min / self.check.kubeconform.cpu_min
            yield f"`check` of {self.check.objects} objects, CPU against kubeconform", "at most 1 time", f"{ratio:.2f} times", ratio <= 1

    def startups(self) -> list[list[str]]:
        if not self.startup:
            return []
        rows = [["Process", "CPU, ms", "Runs"]]
        for name, figure in (("empty (`true`)", self.startup.nothing), ("`--version`", self.startup.version), ("`render cluster=payments`", self.startup.one_cluster)):
            rows.append([name, f"{figure.cpu_min * 1000:.1f} / {figure.cpu_median * 1000:.1f}", str(figure.runs)])
        return rows

    def tree_rows(self) -> list[list[str]]:
        rows = [["Clusters", "Files", "MB", "`render -o`", "peak MiB", "`cp -r`", "again", "peak MiB", "`sha256sum`"]]
        for tree in self.trees:
            figures = (cpu(tree.render), mebibytes(tree.render), cpu(tree.copy), cpu(tree.again), mebibytes(tree.again), cpu(tree.digests))
            rows.append([str(tree.clusters), str(tree.files), f"{tree.bytes / 1e6:.1f}", *figures])
        return rows

    def stream_rows(self) -> list[list[str]]:
        rows = [["Clusters", "Objects", "Tool", "Idiom", "CPU, s", "times ours", "peak MiB", "MB out"]]
        ours = {entry.clusters: entry.figure.cpu_min for entry in self.streams if entry.tool == "banlieue-gen"}
        for entry in sorted(self.streams, key=lambda entry: (entry.clusters, entry.figure.cpu_min)):
            ratio = entry.figure.cpu_min / ours[entry.clusters]
            tool = entry.tool if entry.tool == "banlieue-gen" else f"{entry.tool} {entry.version}"
            rows.append(
                [str(entry.clusters), str(entry.objects), tool, entry.idiom, cpu(entry.figure), f"{ratio:.1f}", mebibytes(entry.figure), f"{entry.bytes / 1e6:.1f}"]
            )
        return rows


def pair(name: str, limit: float, ours: Figure, theirs: Figure) -> Iterable[tuple[str, str, str, bool]]:
    for what, ratio in (("CPU", ours.cpu_min / theirs.cpu_min), ("wall", ours.wall_min / theirs.wall_min)):
        yield f"{name}, {what}", f"at most {limit} times", f"{ratio:.2f} times", ratio <= limit


def machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"


def cpu(figure: Figure) -> str:
    return f"{figure.cpu_min:.3f} / {figure.cpu_median:.3f}"


def mebibytes(figure: Figure) -> str:
    return f"{figure.rss_kib / 1024:.0f}"


def table(rows: list[list[str]]) -> str:
    if len(rows) < 2:
        return ""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)
