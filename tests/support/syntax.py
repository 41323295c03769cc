"""Syntax trees of source files, each parsed once."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path


@cache
def nodes(path: Path) -> tuple[ast.AST, ...]:
    """Return all nodes of the syntax tree of a file, the module first."""
    return tuple(ast.walk(ast.parse(path.read_text(encoding="utf8"))))


def syntax_tree(path: Path) -> ast.Module:
    """Return the syntax tree of a file."""
    tree = nodes(path)[0]
    assert isinstance(tree, ast.Module)
    return tree
