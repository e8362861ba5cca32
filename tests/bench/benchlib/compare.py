"""Reads what a tool printed, and compares it with other objects."""

import json
import pathlib
import sys

from . import install


def objects(file: pathlib.Path) -> list[dict]:
    """The objects of a JSON list or document, or of a YAML stream."""
    text = file.read_text()
    try:
        found = json.loads(text)
    except json.JSONDecodeError:
        return [item for item in read_yaml(text) if item]
    if isinstance(found, dict) and set(found) == {"objects"}:
        found = found["objects"]
    return found if isinstance(found, list) else [found]


def read_yaml(text: str) -> list:
    install.install("yaml")
    sys.path[:0] = [str(path) for path in install.directory("yaml").glob("lib/python*/site-packages")]
    import yaml

    return list(yaml.load_all(text, Loader=yaml.CSafeLoader))


def canonical(found: list[dict]) -> list[str]:
    """Objects in a form that is equal if they are, in an order that does not depend on theirs."""
    return sorted(json.dumps(item, sort_keys=True) for item in found)


def difference(ours: list[dict], theirs: list[dict]) -> str | None:
    """The first difference, or none when both hold the same objects."""
    left, right = canonical(ours), canonical(theirs)
    if left == right:
        return None
    only_left = sorted(set(left) - set(right))
    only_right = sorted(set(right) - set(left))
    return (
        f"{len(left)} objects against {len(right)};"
        f" only ours: {only_left[:1]}; only theirs: {only_right[:1]}"
    )
