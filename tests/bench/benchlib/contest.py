"""Us and the peers, side by side on the same objects."""

import dataclasses
import pathlib
import shutil
import sys
from collections.abc import Callable

from . import compare, fleet, install, measure, own, peers, shape
from .measure import Figure

OURS = "banlieue-gen"
# A peer that would need more CPU seconds than this for one run of the next size sits it out.
PATIENCE = 100
# A run that takes more CPU seconds than this is not repeated.
LONG = 20
# Reading the peers' YAML takes longer than printing it.
COMPARED_UP_TO = 1_000


@dataclasses.dataclass(frozen=True)
class Entry:
    """One tool at one size."""

    tool: str
    version: str
    idiom: str
    clusters: int
    objects: int
    bytes: int
    figure: Figure

    @property
    def is_ours(self) -> bool:
        return self.tool == OURS


def run(
    binary: pathlib.Path,
    work: pathlib.Path,
    wanted: list[peers.Peer],
    sizes: list[int],
    repetitions: Callable[[int], int],
) -> list[Entry]:
    """Every tool at every size. Where a peer's objects are not ours, it is an error."""
    contestants = {peer: 0.0 for peer in wanted if install.is_installed(peer.name)}
    for peer in wanted:
        if peer not in contestants:
            say(f"{peer.name} is not installed")
    template = ours(binary, work, [shape.NAME])[0]
    entries = []
    for size in sizes:
        names = fleet.names(size)
        objects, entry = ours(binary, work, names, repetitions(size))
        entries.append(entry)
        for peer, expected in list(contestants.items()):
            if expected > PATIENCE:
                say(f"{peer.name} sits out {size} clusters")
                continue
            try:
                entry = theirs(peer, work, template, names, objects, repetitions(size))
            except measure.Failed as failure:
                # A peer may have a limit of its own; it then has no figure from here on.
                say(f"{peer.name} fails at {size} clusters: {failure}")
                del contestants[peer]
                continue
            entries.append(entry)
            following = min((other for other in sizes if other > size), default=size)
            contestants[peer] = entry.figure.cpu_min * following / size
    return entries


def ours(binary: pathlib.Path, work: pathlib.Path, names: list[str], runs: int = 1) -> tuple[list[dict], Entry]:
    command = own.stream(binary, fleet.write(work / "fleet", names))
    printed = work / "ours.yaml"
    measure.output(command, printed)
    objects = compare.objects(printed) if len(names) <= COMPARED_UP_TO else []
    entry = Entry(
        tool=OURS,
        version="this tree",
        idiom="fleet file, YAML out",
        clusters=len(names),
        objects=printed.read_bytes().count(b"---\n"),
        bytes=printed.stat().st_size,
        figure=measure.repeat(runs, command),
    )
    return objects, entry


def theirs(
    peer: peers.Peer, work: pathlib.Path, template: list[dict], names: list[str], objects: list[dict], runs: int
) -> Entry:
    folder = work / peer.name
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir()
    peer.write(folder, template, names)
    command = peer.command(folder)
    printed = work / f"{peer.name}.out"
    first = measure.output(command, printed)
    if peer.result:
        printed = folder / peer.result
    if objects:
        difference = compare.difference(objects, compare.objects(printed))
        if difference:
            sys.exit(f"bench: {peer.name} makes other objects: {difference}")
    # The first run fills the system's caches; of a slow tool it is as good as any.
    figure = Figure.of([first]) if first.cpu > LONG else measure.repeat(runs, command)
    say(f"{peer.name}: {len(names)} clusters, {figure.cpu_min:.2f} s of CPU")
    entry = Entry(
        tool=peer.name,
        version=install.PACKAGES[peer.name].version,
        idiom=peer.idiom,
        clusters=len(names),
        objects=len(names) * len(template),
        bytes=printed.stat().st_size,
        figure=figure,
    )
    shutil.rmtree(folder)
    return entry


def say(text: str) -> None:
    print(f"bench: {text}", file=sys.stderr, flush=True)
