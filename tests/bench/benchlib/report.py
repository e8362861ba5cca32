"""The results as JSON, and as Markdown for docs/performance.md."""

import dataclasses
import json
import os
import platform
import re

from . import goals
from .contest import Entry
from .measure import Figure
from .own import Startup, Tree
from .validate import Check

Rows = list[list[str]]


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
        about = f"Machine: {machine()}. CPU is user and system time in seconds, minimum / median."
        return "\n\n".join([about, *self.tables().values()]) + "\n"

    def fill(self, page: str) -> str:
        """The page with its tables between `<!-- NAME -->` and `<!-- /NAME -->` replaced."""
        for name, text in self.tables().items():
            place = re.compile(f"(<!-- {name} -->\n).*?(<!-- /{name} -->)", re.DOTALL)
            page = place.sub(lambda found: f"{found[1]}{text}\n{found[2]}", page)
        return page

    def tables(self) -> dict[str, str]:
        """What was measured, by the name of its place in a page."""
        tables = {"goals": self.goal_rows()}
        if self.startup:
            tables["startup"] = startup_rows(self.startup)
        if self.trees:
            tables["trees"] = tree_rows(self.trees)
        if self.streams:
            tables["streams"] = stream_rows(self.streams)
        if self.check:
            tables["check"] = check_rows(self.check)
        return {name: table(rows) for name, rows in tables.items()}

    def goal_rows(self) -> Rows:
        found = [*goals.trees(self.trees), *goals.streams(self.streams)]
        if self.startup:
            found += goals.startup(self.startup)
        if self.check:
            found += goals.check(self.check)
        rows = [[goal.name, goal.wanted, goal.found, "yes" if goal.met else "**no**"] for goal in found]
        return [["Goal", "Wanted", "Found", "Met"], *rows]


def startup_rows(found: Startup) -> Rows:
    rows = [["Process", "CPU, ms", "Runs"]]
    for name, figure in (
        ("empty (`true`)", found.nothing),
        ("`--version`", found.version),
        ("`render cluster=payments`", found.one_cluster),
    ):
        rows.append([name, f"{figure.cpu_min * 1000:.1f} / {figure.cpu_median * 1000:.1f}", str(figure.runs)])
    return rows


def tree_rows(found: list[Tree]) -> Rows:
    rows = [["Clusters", "Files", "MB", "`render -o`", "peak MiB", "`cp -r`", "again", "peak MiB", "`sha256sum`"]]
    for tree in found:
        size = [str(tree.clusters), str(tree.files), f"{tree.bytes / 1e6:.1f}"]
        first = [cpu(tree.render), mebibytes(tree.render), cpu(tree.copy)]
        rows.append([*size, *first, cpu(tree.again), mebibytes(tree.again), cpu(tree.digests)])
    return rows


def stream_rows(found: list[Entry]) -> Rows:
    rows = [["Clusters", "Objects", "Tool", "Idiom", "CPU, s", "times ours", "peak MiB", "MB out"]]
    ours = {entry.clusters: entry.figure.cpu_min for entry in found if entry.is_ours}
    for entry in sorted(found, key=lambda entry: (entry.clusters, entry.figure.cpu_min)):
        tool = entry.tool if entry.is_ours else f"{entry.tool} {entry.version}"
        ratio = entry.figure.cpu_min / ours[entry.clusters]
        what = [str(entry.clusters), str(entry.objects), tool, entry.idiom]
        rows.append([*what, cpu(entry.figure), f"{ratio:.1f}", mebibytes(entry.figure), f"{entry.bytes / 1e6:.1f}"])
    return rows


def check_rows(found: Check) -> Rows:
    rows = [["Objects", "Tool", "CPU, s", "wall, s", "peak MiB"]]
    for name, figure in (("`banlieue-gen check`", found.ours), ("kubeconform", found.kubeconform)):
        wall = f"{figure.wall_min:.2f} / {figure.wall_median:.2f}"
        rows.append([str(found.objects), name, cpu(figure), wall, mebibytes(figure)])
    return rows


def machine() -> str:
    return f"{platform.system()} {platform.machine()}, {os.cpu_count()} CPUs"


def cpu(figure: Figure) -> str:
    return f"{figure.cpu_min:.3f} / {figure.cpu_median:.3f}"


def mebibytes(figure: Figure) -> str:
    return f"{figure.rss_kib / 1024:.0f}"


def table(rows: Rows) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    lines.insert(1, "|" + "---|" * len(rows[0]))
    return "\n".join(lines)
