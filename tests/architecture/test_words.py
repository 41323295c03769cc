"""Names describe what something is: pronouns and participles are not names."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.syntax import nodes, syntax_tree

SOURCE = Path(__file__).parents[2] / "src" / "caesura"
WORDS = """
one ones each other others another some found made said told given asked came come done gone laid lays kept shown heard
left named wanted meant held taken seen drawn written known used lot thing things stuff says
"""
VAGUE = set(re.findall(r"\w+", WORDS))


def bound_names(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            yield node.id
        elif isinstance(node, ast.arg):
            yield node.arg
        elif isinstance(node, ast.Attribute) and isinstance(node.ctx, ast.Store):
            yield node.attr
        elif isinstance(node, (ast.FunctionDef, ast.ClassDef)):
            yield node.name


def test_few_names_say_nothing() -> None:
    names = [name for path in SOURCE.rglob("*.py") for name in bound_names(syntax_tree(path))]
    vague = [name for name in names if name.strip("_").lower() in VAGUE]
    assert len(vague) <= 0.01 * len(names), sorted(set(vague))


def test_public_functions_take_at_most_ten_parameters() -> None:
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if isinstance(node, ast.FunctionDef) and not node.name.startswith("_"):
                arguments = [*node.args.posonlyargs, *node.args.args, *node.args.kwonlyargs]
                number = sum(argument.arg not in ("self", "cls") for argument in arguments)
                if number > 10:
                    wrong.append(f"{path.relative_to(SOURCE)}: {node.name} takes {number}")
    assert wrong == []
