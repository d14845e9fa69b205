"""Checks messages against the types of the Debug Adapter Protocol. protocol.json holds them, written by
protocol_types.js from the declarations that Microsoft publishes. Fields that the protocol does not name are wrong, except in
the arguments that it leaves to the adapter."""
import json
import os

with open(os.path.join(os.path.dirname(os.path.abspath(__file__)), "protocol.json")) as file:
    TYPES = json.load(file)
OPEN = ("LaunchRequestArguments", "AttachRequestArguments")  # "implementation specific"
SIMPLE = {"string": str, "number": int, "boolean": bool, "null": type(None)}


def fields_of(kind):
    """The fields of a type and of those that it extends: name -> (type, whether it is optional)."""
    fields = {}
    for base in kind["extends"]:
        fields |= fields_of(TYPES[base])
    return fields | {name.rstrip("?"): (each, name.endswith("?")) for name, each in kind["fields"].items()}


def complaint_about_fields(value, kind, path, is_open):
    if not isinstance(value, dict):
        return f"{path}: no object"
    known = fields_of(kind)
    for name, (_, is_optional) in known.items():
        if not is_optional and name not in value:
            return f"{path}: {name} is missing"
    for name, each in value.items():
        if name not in known and not is_open:
            return f"{path}: {name} is not in the specification"
        if wrong := complaint(each, known.get(name, ("any",))[0], f"{path}.{name}"):
            return wrong
    return ""


def complaint_about_simple(value, kind, path):
    is_right = isinstance(value, SIMPLE[kind]) and (kind == "boolean" or not isinstance(value, bool))
    return "" if is_right else f"{path}: {value!r} is no {kind}"


def complaint_about_list(values, kind, path):
    if not isinstance(values, list):
        return f"{path}: no list"
    return next(filter(None, (complaint(each, kind, f"{path}[{i}]") for i, each in enumerate(values))), "")


def complaint(value, kind, path, is_open=False):
    """Why the value does not have this type; empty if it has."""
    if kind == "any":
        return ""
    if isinstance(kind, str):
        return complaint_about_simple(value, kind, path)
    if "ref" in kind:
        return complaint(value, TYPES[kind["ref"]], path, kind["ref"] in OPEN)
    if "literal" in kind:
        return "" if value == kind["literal"] else f"{path}: {value!r} is not {kind['literal']!r}"
    if "array" in kind:
        return complaint_about_list(value, kind["array"], path)
    if "map" in kind:
        return next(filter(None, (complaint(each, kind["map"], f"{path}.{name}") for name, each in value.items())), "")
    if "union" in kind:
        wrong = [complaint(value, each, path) for each in kind["union"]]
        return "" if "" in wrong else "; ".join(wrong)
    return complaint_about_fields(value, kind, path, is_open)


def type_of(message):
    """The name of the message's type; that of its envelope for cudalab's own requests."""
    kind = message["type"]
    if kind == "response" and not message["success"]:
        return "ErrorResponse"
    name = message["event"] if kind == "event" else message["command"]
    return kind.capitalize() if name.startswith("cudalab/") else name[0].upper() + name[1:] + kind.capitalize()


def check(message):
    """Fails for a message that the protocol does not allow."""
    name = type_of(message)
    assert name in TYPES, (name, message)
    wrong = complaint(message, TYPES[name], name)
    if name == "ErrorResponse" and not message.get("message"):
        wrong = "an error without a message"
    assert not wrong, (wrong, message)
