"""Measures compare columns: none of them asks what an annotation is. ``needs`` says it, and one place checks it."""

from __future__ import annotations

import ast
from pathlib import Path

from support.syntax import nodes

MEASURES = Path(__file__).parents[2] / "src" / "caesura" / "measures"
CLASSES = {
    *(
        "Segmentation",
        "Tier",
        "Hierarchy",
        "Spans",
        "Tree",
        "Dialogue",
        "Marks",
        "BoundaryScores",
        "Partition",
        "Annotation",
    ),
    *("Mapping", "Batch", "Table", "Shape"),
}
# Where a question is asked on purpose, with the number of times.
EXCEPTIONS = {
    "needs.py": 1,  # the error for a dialogue that a measure cannot score
    # Arguments of public functions that may be one annotation, several by name, or counts.
    "curve.py": 2,
    "fuzzy.py": 3,
    "treebank.py": 1,
    "flexible.py": 3,  # a matrix may be a mapping
}


def questions(path: Path) -> list[str]:
    """Return the places where a file asks what an object is."""
    found = []
    for node in nodes(path):
        if not isinstance(node, (ast.Call, ast.Compare, ast.Match)):
            continue
        text = ast.unparse(node)
        names = {entry.id for entry in ast.walk(node) if isinstance(entry, ast.Name)}
        is_call = isinstance(node, ast.Call) and isinstance(node.func, ast.Name)
        if (is_call and node.func.id in ("isinstance", "issubclass") and names & CLASSES) or (
            is_call and node.func.id == "hasattr"
        ):  # type: ignore[attr-defined]
            found.append(f"{path.name}:{node.lineno} {text}")  # type: ignore[attr-defined]
        elif isinstance(node, ast.Match):
            found.append(f"{path.name}:{node.lineno} match")
        elif isinstance(node, ast.Compare) and "type(" in text and names & CLASSES:
            found.append(f"{path.name}:{node.lineno} {text}")
    return found


def test_no_measure_asks_what_it_has() -> None:
    asked = {path.name: questions(path) for path in sorted(MEASURES.glob("*.py"))}
    assert {name: len(found) for name, found in asked.items() if found} == EXCEPTIONS, asked


def test_there_is_one_batch() -> None:
    classes = [
        node.name
        for path in sorted((MEASURES.parent).rglob("*.py"))
        for node in nodes(path)
        if isinstance(node, ast.ClassDef) and node.name.strip("_").endswith("Batch") and "formats" not in path.parts
    ]
    assert classes == ["Batch"]
