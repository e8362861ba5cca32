"""`banlieue-gen check` against kubeconform, on the same objects."""

import dataclasses
import pathlib
import tempfile

from . import fleet, install, measure, own
from .measure import Figure

SCHEMAS = fleet.ROOT / "schemas/json"
# 20,000 objects.
CLUSTERS = 1_540


@dataclasses.dataclass(frozen=True)
class Check:
    """We load, plan and render the fleet and check schemas, CEL rules, references and names;
    kubeconform reads the rendered files and checks schemas. Kinds of others are skipped by both."""

    clusters: int
    objects: int
    ours: Figure
    kubeconform: Figure


def run(binary: pathlib.Path, work: pathlib.Path, clusters: int, runs: int) -> Check | None:
    """None where kubeconform is not installed."""
    if not install.is_installed("kubeconform"):
        return None
    arguments = fleet.write(work / "fleet", fleet.names(clusters))
    with tempfile.TemporaryDirectory(dir=own.memory_disk(work)) as tree:
        measure.run([binary, "render", "--quiet", *arguments, "-o", tree])
        kubeconform = [
            install.binary("kubeconform"), "-n", "2", "-ignore-missing-schemas",
            "-schema-location", f"{SCHEMAS}/{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json",
            "-ignore-filename-pattern", "kustomization.yaml", "-ignore-filename-pattern", ".banlieue", tree,
        ]  # fmt: skip
        objects = sum(1 for path in pathlib.Path(tree).rglob("*.yaml") if path.name != "kustomization.yaml")
        return Check(
            clusters=clusters,
            objects=objects,
            ours=measure.repeat(runs, [binary, "check", "--quiet", *arguments]),
            kubeconform=measure.repeat(runs, kubeconform),
        )
