"""The peers: the same objects, each in the peer's own idiom, and the command that prints them."""

import dataclasses
import json
import pathlib
from collections.abc import Callable

from . import install, shape


@dataclasses.dataclass(frozen=True)
class Peer:
    """A peer in one idiom.

    `write` puts its sources into an empty folder. `command` prints the objects to standard
    output, or into `result` in the folder, as one document or a stream, YAML or JSON.
    """

    name: str
    idiom: str
    write: Callable[[pathlib.Path, list[dict], list[str]], None]
    command: Callable[[pathlib.Path], list[object]]
    result: str | None = None


def dump(value: object) -> str:
    return json.dumps(value, indent=1) + "\n"


# Jsonnet.


def write_jsonnet(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    (folder / "names.json").write_text(dump(names))
    (folder / "main.jsonnet").write_text(
        f"local cluster(name) = {shape.source(objects, shape.joined)};\n"
        "std.flattenArrays([cluster(name) for name in import 'names.json'])\n"
    )


def run_jsonnet(folder: pathlib.Path) -> list[object]:
    return [install.binary("jsonnet"), folder / "main.jsonnet"]


# CUE.


def write_cue(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    template = shape.source(objects, shape.interpolated("\\(", ")"))
    (folder / "main.cue").write_text(
        "package bench\n\n"
        f"names: {dump(names)}\n"
        f"#Cluster: {{\n#name: string\nlet name = #name\nobjects: {template}\n}}\n\n"
        "objects: [for name in names for object in (#Cluster & {#name: name}).objects {object}]\n"
    )


def run_cue(folder: pathlib.Path) -> list[object]:
    return [install.binary("cue"), "export", "--out", "json", "-e", "objects", folder / "main.cue"]


# KCL, of which the registries have the engine but not the command line.


KCL_MAIN = """\
import sys
import kcl_lib.api as api

arguments = api.ExecProgramArgs(k_filename_list=[sys.argv[1]])
result = api.API().exec_program(arguments)
if result.err_message:
    sys.exit(result.err_message)
sys.stdout.write(result.json_result)
"""


def write_kcl(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    constants = {True: "True", False: "False", None: "None"}
    template = shape.source(objects, shape.interpolated("${", "}"), constants)
    (folder / "run.py").write_text(KCL_MAIN)
    (folder / "main.k").write_text(
        f"_names = {dump(names)}\n"
        f"_cluster = lambda name: str -> [any] {{\n{template}\n}}\n\n"
        "objects = [object for name in _names for object in _cluster(name)]\n"
    )


def run_kcl(folder: pathlib.Path) -> list[object]:
    return [install.directory("kcl") / "bin/python", folder / "run.py", folder / "main.k"]


# cdk8s.


def write_cdk8s(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    (folder / "names.json").write_text(dump(names))
    modules = install.directory("cdk8s") / "node_modules"
    (folder / "main.js").write_text(
        f"const {{ App, ApiObject, Chart, YamlOutputType }} = require({json.dumps(str(modules / 'cdk8s'))});\n"
        "const names = require('./names.json');\n\n"
        f"const cluster = (name) => {shape.source(objects, shape.joined)};\n\n"
        "const app = new App({ outdir: __dirname + '/dist', yamlOutputType: YamlOutputType.FILE_PER_APP });\n"
        "for (const name of names) {\n"
        "  const chart = new Chart(app, name);\n"
        "  cluster(name).forEach((object, index) => new ApiObject(chart, `object-${index}`, object));\n"
        "}\n"
        "app.synth();\n"
    )


def run_cdk8s(folder: pathlib.Path) -> list[object]:
    return ["node", folder / "main.js"]


# Helm. Its templates are text, and JSON is text that YAML takes.


def write_helm(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    def text(parts: list[str]) -> str:
        return '"' + "{{ $name }}".join(json.dumps(part)[1:-1] for part in parts) + '"'

    documents = "".join(f"---\n{shape.source(item, text)}\n" for item in objects)
    (folder / "templates").mkdir()
    (folder / "Chart.yaml").write_text("apiVersion: v2\nname: bench\nversion: 0.1.0\n")
    (folder / "values.yaml").write_text("clusters: " + dump(names))
    (folder / "templates/clusters.yaml").write_text(
        "{{- range $name := .Values.clusters }}\n" + documents + "{{- end }}\n"
    )


def run_helm(folder: pathlib.Path) -> list[object]:
    return [install.binary("helm"), "template", "bench", folder]


# Kustomize: a base, one overlay a cluster that brings its name, and a component of replacements
# that carries the name to where it belongs.


def write_kustomize(folder: pathlib.Path, objects: list[dict], names: list[str]) -> None:
    kind = {"apiVersion": "kustomize.config.k8s.io/v1beta1", "kind": "Kustomization"}
    files = {f"base/object-{index}.yaml": item for index, item in enumerate(objects)}
    files["base/kustomization.yaml"] = {**kind, "resources": [f"object-{index}.yaml" for index in range(len(objects))]}
    files["name/kustomization.yaml"] = {
        "apiVersion": "kustomize.config.k8s.io/v1alpha1",
        "kind": "Component",
        "replacements": [
            {
                "source": {"kind": "ConfigMap", "fieldPath": "data.name"},
                "targets": [target for item in objects for target in kustomize_targets(item)],
            }
        ],
    }
    for name in names:
        files[f"overlays/{name}/parameters.yaml"] = {
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": {"name": name, "annotations": {"config.kubernetes.io/local-config": "true"}},
            "data": {"name": name},
        }
        files[f"overlays/{name}/kustomization.yaml"] = {
            **kind,
            "resources": ["../../base", "parameters.yaml"],
            "components": ["../../name"],
        }
    files["kustomization.yaml"] = {**kind, "resources": [f"overlays/{name}" for name in names]}
    for path, value in files.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(dump(value))


def kustomize_targets(item: dict) -> list[dict]:
    """Where the name stands: alone, or as the first of the parts between hyphens."""
    alone, first = [], []
    for path, text in shape.places(item):
        field = ".".join(f"[{step}]" if "." in str(step) else str(step) for step in path)
        (alone if text == shape.NAME else first).append(field)
    select = {"kind": item["kind"], "name": item["metadata"]["name"]}
    targets = []
    for fields, options in ((alone, {}), (first, {"options": {"delimiter": "-", "index": 0}})):
        if fields:
            targets.append({"select": select, "fieldPaths": sorted(fields, key=is_own_name), **options})
    return sorted(targets, key=lambda target: is_own_name(target["fieldPaths"][-1]))


def is_own_name(field: str) -> bool:
    """An object is selected by its name, so that is replaced last."""
    return field == "metadata.name"


def run_kustomize(folder: pathlib.Path) -> list[object]:
    return [install.binary("kustomize"), "build", folder]


ALL = [
    Peer("jsonnet", "function, array comprehension, texts added", write_jsonnet, run_jsonnet),
    Peer("cue", "definition, comprehension, JSON out", write_cue, run_cue),
    Peer("kcl", "lambda, list comprehension, JSON out, through its Python package", write_kcl, run_kcl),
    Peer("helm", "one chart, range over values", write_helm, run_helm),
    Peer("cdk8s", "loop over charts, one file, without its command line", write_cdk8s, run_cdk8s, "dist/app.k8s.yaml"),
    Peer("kustomize", "base, an overlay a cluster, replacements", write_kustomize, run_kustomize),
]
