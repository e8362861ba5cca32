"""Our own figures, each beside what it must keep up with."""

import dataclasses
import os
import pathlib
import shutil
import subprocess

from . import fleet, measure
from .measure import Figure


@dataclasses.dataclass(frozen=True)
class Tree:
    """What a tree of some clusters costs, and what copying and reading it costs."""

    clusters: int
    files: int
    bytes: int
    render: Figure
    copy: Figure
    again: Figure
    digests: Figure


@dataclasses.dataclass(frozen=True)
class Startup:
    """What a process costs that does little, and one that does nothing."""

    version: Figure
    one_cluster: Figure
    nothing: Figure


def build() -> pathlib.Path:
    """Builds the release binary and answers where it is."""
    environment = {"CARGO_BUILD_JOBS": str(os.cpu_count()), **os.environ}
    subprocess.run(
        ["nice", "cargo", "build", "--release", "--quiet", "-p", "banlieue-gen"],
        check=True,
        cwd=fleet.ROOT,
        env=environment,
    )
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", fleet.ROOT / "target"))
    return target / "release/banlieue-gen"


def stream(binary: pathlib.Path, arguments: list[str]) -> list[object]:
    """The command that prints the objects that the peers print."""
    return [binary, "render", "--quiet", "--stage", "clusters", *arguments]


def startup(binary: pathlib.Path, runs: int) -> Startup:
    one = [binary, "render", "--quiet", "cluster=payments", "-f", fleet.BASE]
    return Startup(
        version=measure.repeat(runs, [binary, "--version"], memory=False),
        one_cluster=measure.repeat(runs, one, memory=False),
        nothing=measure.repeat(runs, ["true"], memory=False),
    )


def tree(binary: pathlib.Path, work: pathlib.Path, clusters: int, runs: int) -> Tree:
    """Renders into an empty folder, copies the tree, renders again, digests every file.

    The four take turns, so that what else the machine does falls on all of them.
    """
    arguments = fleet.write(work / "fleet", fleet.names(clusters))
    target, copy = work / "tree", work / "copy"
    commands = {
        "render": [binary, "render", "--quiet", *arguments, "-o", target],
        "copy": ["cp", "-r", target, copy],
        "again": [binary, "render", "--quiet", *arguments, "-o", target],
        "digests": ["sh", "-c", 'find "$1" -type f -print0 | xargs -0 sha256sum', "sh", target],
    }
    found = {name: [] for name in commands}
    for _ in range(runs):
        shutil.rmtree(target, ignore_errors=True)
        shutil.rmtree(copy, ignore_errors=True)
        for name, command in commands.items():
            found[name].append(measure.run(command))
    files = [path for path in target.rglob("*") if path.is_file()]
    result = Tree(
        clusters=clusters,
        files=len(files),
        bytes=sum(path.stat().st_size for path in files),
        **{name: Figure.of(runs) for name, runs in found.items()},
    )
    shutil.rmtree(target)
    shutil.rmtree(copy)
    return result
