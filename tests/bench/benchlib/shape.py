"""One cluster's objects as a template of its name, written in the language of each peer.

The objects come from our own output, so that nothing here follows a change of the renderer by
hand. Every text in them that holds the name becomes an expression of it.
"""

import json
from collections.abc import Callable, Iterator

# The name of the cluster that is rendered to make the template. No other text holds it.
NAME = "placeholder"

Text = Callable[[list[str]], str]


def source(value: object, text: Text, constants: dict | None = None, depth: int = 0) -> str:
    """A value in a syntax that extends JSON. `text` writes a text that holds the name, given in
    the parts between its occurrences."""
    indent = "  " * (depth + 1)
    if isinstance(value, dict):
        entries = [
            f"{indent}{json.dumps(key)}: {source(item, text, constants, depth + 1)}" for key, item in value.items()
        ]
        return "{\n" + ",\n".join(entries) + "\n" + indent[2:] + "}" if entries else "{}"
    if isinstance(value, list):
        items = [indent + source(item, text, constants, depth + 1) for item in value]
        return "[\n" + ",\n".join(items) + "\n" + indent[2:] + "]" if items else "[]"
    if isinstance(value, str) and NAME in value:
        return text(value.split(NAME))
    if constants and (value is None or isinstance(value, bool)):
        return constants[value]
    return json.dumps(value)


def joined(parts: list[str]) -> str:
    """`name + "-workers"`, in languages that add texts."""
    terms = [json.dumps(parts[0])]
    for part in parts[1:]:
        terms += ["name", json.dumps(part)]
    return "(" + " + ".join(term for term in terms if term != '""') + ")"


def interpolated(left: str, right: str) -> Text:
    """`"${name}-workers"`, in languages that have such texts."""
    return lambda parts: json.dumps("\0".join(parts)).replace("\\u0000", f"{left}name{right}")


def places(value: object, path: tuple = ()) -> Iterator[tuple[tuple, str]]:
    """Path and text of every text that holds the name."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield from places(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from places(item, (*path, index))
    elif isinstance(value, str) and NAME in value:
        yield path, value
