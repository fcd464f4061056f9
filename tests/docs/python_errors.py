"""Errors of the Python package, as data. Pure: takes the text of modules."""

import ast
from collections.abc import Iterator
from dataclasses import dataclass

BUILT_IN = ("ValueError", "TimeoutError", "RuntimeError", "FileNotFoundError", "EOFError")


@dataclass(frozen=True)
class ErrorClass:
    name: str
    bases: tuple[str, ...]
    code: str  # its own, or that of its base class
    meaning: str


def error_classes(text: str) -> list[ErrorClass]:
    """The classes of errors.py, bases first."""
    found: dict[str, ErrorClass] = {}
    for node in ast.parse(text).body:
        if not isinstance(node, ast.ClassDef):
            continue
        bases = tuple(base.id for base in node.bases if isinstance(base, ast.Name))
        code = next((each.value.value for each in node.body if isinstance(each, ast.Assign)
                     and isinstance(each.value, ast.Constant) and getattr(each.targets[0], "id", "") == "code"), "")
        inherited = next((found[base].code for base in bases if base in found), "")
        found[node.name] = ErrorClass(node.name, bases, code or inherited, 
                                      " ".join((ast.get_docstring(node) or "").split("\n\n")[0].split()))
    return list(found.values())


def message_text(node: ast.expr) -> str:
    """The text of a message; values become placeholders."""
    if isinstance(node, ast.Constant):
        return str(node.value)
    if isinstance(node, ast.JoinedStr):
        return "".join(message_text(part) for part in node.values)
    if isinstance(node, ast.FormattedValue):
        return f"<{value_name(node.value)}>"
    if isinstance(node, ast.BinOp):
        return message_text(node.left) + message_text(node.right)
    return f"<{value_name(node)}>"


def value_name(node: ast.expr) -> str:
    name = "value"
    if isinstance(node, ast.Name):
        name = node.id
    elif isinstance(node, ast.Attribute):
        name = node.attr
    elif isinstance(node, ast.Call):
        name = value_name(node.args[0] if node.args else node.func)
        if isinstance(node.func, ast.Attribute) and not node.args:
            name = value_name(node.func.value)
    elif isinstance(node, (ast.BoolOp, ast.Subscript)):
        name = value_name(node.values[0] if isinstance(node, ast.BoolOp) else node.value)
    return "reason" if name == "error" else name.strip("_").replace("_", " ")


def errors(text: str, classes: dict[str, ErrorClass]) -> Iterator[tuple[str, str, str, str]]:
    """(class, code, message, hint) of every error that a module makes."""
    for node in ast.walk(ast.parse(text)):
        if not isinstance(node, ast.Call) or not isinstance(node.func, ast.Name):
            continue
        name = node.func.id
        if name not in classes and name not in BUILT_IN:
            continue
        of_result = name in classes and any(base in ("CommandError",) for base in classes[name].bases)
        arguments = node.args[1:] if of_result else node.args
        keywords = {each.arg: each.value for each in node.keywords}
        if arguments:
            given = keywords.get("code")
            code = given.value if isinstance(given, ast.Constant) else classes[name].code if name in classes else ""
            hint = message_text(keywords["hint"]) if "hint" in keywords else ""
            yield name, code, message_text(arguments[0]), hint
