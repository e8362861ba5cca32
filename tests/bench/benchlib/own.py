"""Our own figures, each beside what it must keep up with."""

import dataclasses
import os
import pathlib
import subprocess
import tempfile

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

    The four take turns, so that what else the machine does falls on all of them. Every turn has
    new folders, and they are deleted at the end: ext4 is slow to reuse what was just deleted.
    """
    arguments = fleet.write(work / "fleet", fleet.names(clusters))
    found = {"render": [], "copy": [], "again": [], "digests": []}
    with tempfile.TemporaryDirectory(dir=memory_disk(work)) as folder:
        for turn in range(runs):
            target, copy = pathlib.Path(folder, f"tree-{turn}"), pathlib.Path(folder, f"copy-{turn}")
            render = [binary, "render", "--quiet", *arguments, "-o", target]
            digests = ["sh", "-c", 'find "$1" -type f -print0 | xargs -0 sha256sum', "sh", target]
            found["render"].append(measure.run(render))
            found["copy"].append(measure.run(["cp", "-r", target, copy]))
            found["again"].append(measure.run(render))
            found["digests"].append(measure.run(digests))
        files = [path for path in target.rglob("*") if path.is_file()]
        return Tree(
            clusters=clusters,
            files=len(files),
            bytes=sum(path.stat().st_size for path in files),
            **{name: Figure.of(turns) for name, turns in found.items()},
        )


def memory_disk(otherwise: pathlib.Path) -> pathlib.Path:
    """A file system in memory, where there is one, so that no device is measured."""
    shared = pathlib.Path("/dev/shm")
    return shared if shared.is_dir() and os.access(shared, os.W_OK) else otherwise
