"""Fleets of any size: one layer over the example fleet, whose own clusters it removes."""

import pathlib

ROOT = pathlib.Path(__file__).resolve().parents[3]
BASE = ROOT / "examples/fleet/fleet.yaml"
EXAMPLES = ("payments", "web", "analytics", "sandbox", "stores")

# Below the generator's limit of 8 MiB a file.
CLUSTERS_PER_FILE = 10_000

HEADER = "apiVersion: gen.banlieue.io/v1alpha1\nkind: Fleet\n"
CLUSTER = """\
  {name}:
    tier: platinum
    version: v1.34.2+k0s.0
    image: kairos
    sites: [paris, lyon]
    controlPlane: {{kind: k0smotron}}
"""


def names(count: int) -> list[str]:
    """Names without a hyphen, all of one length."""
    return [f"c{number:05}" for number in range(count)]


def write(folder: pathlib.Path, clusters: list[str]) -> list[str]:
    """Writes the layers and answers the arguments of `banlieue-gen` that name them."""
    folder.mkdir(parents=True, exist_ok=True)
    removed = "".join(f"  {name}: null\n" for name in EXAMPLES)
    layers = [f"{HEADER}clusters:\n{removed}virtualMachines:\n  bastion: null\n"]
    for start in range(0, len(clusters), CLUSTERS_PER_FILE):
        part = clusters[start : start + CLUSTERS_PER_FILE]
        layers.append(f"{HEADER}clusters:\n" + "".join(CLUSTER.format(name=name) for name in part))
    arguments = ["-f", str(BASE)]
    for number, text in enumerate(layers):
        file = folder / f"layer-{number}.yaml"
        file.write_text(text)
        arguments += ["-f", str(file)]
    return arguments

