"""CPU seconds, wall time and peak memory of cold processes.

CPU is user and system time of the process and of all its children. On a busy machine it says
what wall time does not.
"""

import dataclasses
import os
import pathlib
import statistics
import subprocess
import tempfile
import time

# Reports the peak of the command alone. What `wait4` reports includes the peak of this process,
# of which the child is a copy before it becomes the command.
MEMORY_PROBE = "/usr/bin/time"


@dataclasses.dataclass(frozen=True)
class Run:
    cpu: float
    wall: float
    rss_kib: int | None


@dataclasses.dataclass(frozen=True)
class Figure:
    """Repetitions of one command. Seconds and KiB."""

    runs: int
    cpu_min: float
    cpu_median: float
    wall_min: float
    wall_median: float
    rss_kib: int | None

    @classmethod
    def of(cls, runs: list[Run]) -> "Figure":
        peaks = [run.rss_kib for run in runs if run.rss_kib is not None]
        return cls(
            runs=len(runs),
            cpu_min=min(run.cpu for run in runs),
            cpu_median=statistics.median(run.cpu for run in runs),
            wall_min=min(run.wall for run in runs),
            wall_median=statistics.median(run.wall for run in runs),
            rss_kib=max(peaks) if peaks else None,
        )


class Failed(Exception):
    """A command that did not succeed."""


def run(command: list[object], *, memory: bool = True, stdout=subprocess.DEVNULL, **settings) -> Run:
    """Runs a command once. Its output is dropped unless `stdout` takes it."""
    argv = [str(word) for word in command]
    with tempfile.NamedTemporaryFile("r") as peak, tempfile.TemporaryFile("w+") as errors:
        probe = [MEMORY_PROBE, "-f", "%M", "-o", peak.name] if memory else []
        started = time.perf_counter()
        child = subprocess.Popen([*probe, *argv], stdout=stdout, stderr=errors, **settings)
        _, status, usage = os.wait4(child.pid, 0)
        wall = time.perf_counter() - started
        # Popen must not wait for it again.
        child.returncode = os.waitstatus_to_exitcode(status)
        if child.returncode != 0:
            errors.seek(0)
            raise Failed(f"{' '.join(argv[:6])}: exit {child.returncode}\n{errors.read()[-2000:]}")
        rss = int(peak.read().split()[-1]) if memory else None
    return Run(usage.ru_utime + usage.ru_stime, wall, rss)


def repeat(count: int, command: list[object], *, before=None, **settings) -> Figure:
    """Runs a command several times; `before` is called before each and not measured."""
    runs = []
    for _ in range(count):
        if before:
            before()
        runs.append(run(command, **settings))
    return Figure.of(runs)


def output(command: list[object], file: pathlib.Path, **settings) -> Run:
    """Runs a command once with its output into a file."""
    with file.open("wb") as out:
        return run(command, stdout=out, **settings)
