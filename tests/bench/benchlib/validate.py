"""`banlieue-gen check` against kubeconform, on the same objects and schemas."""

import dataclasses
import json
import pathlib
import shutil
import subprocess

from . import compare, fleet, install, measure
from .measure import Figure


@dataclasses.dataclass(frozen=True)
class Check:
    """Schemas and CEL rules checked by us, schemas alone by kubeconform."""

    clusters: int
    objects: int
    ours: Figure
    kubeconform: Figure


def write_schemas(binary: pathlib.Path, folder: pathlib.Path) -> None:
    """Our CRDs as the files that kubeconform looks for. Kinds of others have no schema here; it
    skips them, and so do we."""
    folder.mkdir(parents=True)
    printed = subprocess.run([binary, "schema", "crds"], check=True, capture_output=True, text=True).stdout
    for crd in compare.read_yaml(printed):
        group, kind = crd["spec"]["group"], crd["spec"]["names"]["kind"].lower()
        for version in crd["spec"]["versions"]:
            schema = closed(version["schema"]["openAPIV3Schema"])
            (folder / f"{group}_{kind}_{version['name']}.json").write_text(json.dumps(schema))


def closed(schema: object) -> object:
    """A schema that refuses unknown fields, as the API server does in strict mode."""
    if isinstance(schema, list):
        return [closed(item) for item in schema]
    if not isinstance(schema, dict):
        return schema
    result = {key: closed(item) for key, item in schema.items()}
    is_open = "additionalProperties" in schema or schema.get("x-kubernetes-preserve-unknown-fields")
    if isinstance(schema.get("properties"), dict) and schema.get("type") == "object" and not is_open:
        result["additionalProperties"] = False
    return result


def run(binary: pathlib.Path, work: pathlib.Path, clusters: int, runs: int) -> Check | None:
    """None where a run of `check` finds something to report, or kubeconform is not installed."""
    if not install.is_installed("kubeconform"):
        return None
    arguments = fleet.write(work / "fleet", fleet.names(clusters))
    target, schemas = work / "tree", work / "schemas"
    shutil.rmtree(target, ignore_errors=True)
    shutil.rmtree(schemas, ignore_errors=True)
    measure.run([binary, "render", "--quiet", *arguments, "-o", target])
    write_schemas(binary, schemas)
    location = f"{schemas}/{{{{.Group}}}}_{{{{.ResourceKind}}}}_{{{{.ResourceAPIVersion}}}}.json"
    kubeconform = [
        install.binary("kubeconform"), "-schema-location", location, "-ignore-missing-schemas",
        "-ignore-filename-pattern", "kustomization.yaml", "-n", "2", target,
    ]  # fmt: skip
    ours = [binary, "check", "--quiet", *arguments]
    result = Check(
        clusters=clusters,
        objects=sum(1 for path in target.rglob("*.yaml") if path.name != "kustomization.yaml"),
        ours=measure.repeat(runs, ours),
        kubeconform=measure.repeat(runs, kubeconform),
    )
    shutil.rmtree(target)
    return result
