"""Import order of the folders: a file imports only from its own folder and from folders listed before it."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from pathlib import Path

from support.syntax import nodes, syntax_tree

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src" / "caesura"


def order() -> list[str]:
    """Return the folders and modules in the order that CONTRIBUTING prints."""
    text = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf8")
    block = text[text.index("A file imports only from the files and folders above it") :]
    return [match[1] for match in re.finditer(r"^    (\w+)(?:/|\.py) ", block[: block.index("\n## ")], re.MULTILINE)]


def imports(path: Path) -> Iterator[tuple[str, tuple[str, ...], int]]:
    """Yield module, imported names and line of every import from caesura, also inside functions."""
    for node in nodes(path):
        if isinstance(node, ast.ImportFrom) and node.module and node.module.split(".")[0] == "caesura":
            yield node.module, tuple(alias.name for alias in node.names), node.lineno
        elif isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.split(".")[0] == "caesura":
                    yield alias.name, (), node.lineno


def folder(module: str, names: tuple[str, ...] = ()) -> list[str]:
    """Return the folders that an import reaches: ``caesura.model.result`` is in ``model``."""
    parts = module.split(".")
    return [parts[1]] if len(parts) > 1 else list(names)


def upward_imports(source: Path, listed: list[str]) -> list[str]:
    """Return the imports that go against the order."""
    wrong = []
    for path in sorted(source.rglob("*.py")):
        relative = path.relative_to(source)
        if relative in (Path("__init__.py"), Path("__main__.py")):
            continue  # the public names, from everywhere, and the program
        own = relative.parts[0].removesuffix(".py")
        for module, names, line in imports(path):
            for reached in folder(module, names):
                if reached not in listed or listed.index(reached) > listed.index(own):
                    wrong.append(f"{relative}:{line} imports {module}")
    return wrong


def test_every_folder_is_in_the_list() -> None:
    folders = {path.name for path in SOURCE.iterdir() if (path / "__init__.py").exists()}
    modules = {path.stem for path in SOURCE.glob("*.py")} - {"__init__", "__main__"}
    assert set(order()) == folders | modules


def test_imports_follow_the_order() -> None:
    assert upward_imports(SOURCE, order()) == []


def test_an_upward_import_is_found(tmp_path: Path) -> None:
    (tmp_path / "model").mkdir()
    (tmp_path / "model" / "corpus.py").write_text("def load():\n    from caesura.formats import read\n")
    assert upward_imports(tmp_path, order()) == ["model/corpus.py:2 imports caesura.formats"]


def test_private_names_stay_in_their_module() -> None:
    private = [
        f"{path.relative_to(SOURCE)}:{line} imports {name} of {module}"
        for path in sorted(SOURCE.rglob("*.py"))
        for module, names, line in imports(path)
        for name in names
        if name.startswith("_") and not name.startswith("__")
    ]
    assert private == []


def test_private_attributes_are_read_by_their_own_class() -> None:
    """Only ``self._name``, ``cls._name`` and, for objects of the same class, ``other._name`` and ``new._name`` are used."""
    allowed = {"self", "cls", "other", "new", "sys", "copy"}
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if not isinstance(node, ast.Attribute) or not re.fullmatch(r"_[a-z]\w*", node.attr):
                continue
            if node.attr not in ("_replace", "_asdict", "_exit") and ast.unparse(node.value) not in allowed:
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno} {ast.unparse(node)}")
    assert wrong == []


def test_objects_are_not_written_from_outside() -> None:
    """``object.__setattr__`` belongs to the class that makes the object: its first argument is self, or a new object."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        tree = syntax_tree(path)
        inside = {id(node) for entry in ast.walk(tree) if isinstance(entry, ast.ClassDef) for node in ast.walk(entry)}
        for node in ast.walk(tree):
            is_write = isinstance(node, ast.Attribute) and node.attr == "__setattr__"
            if is_write and ast.unparse(node) == "object.__setattr__" and id(node) not in inside:
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno}")
    assert wrong == []


def test_warnings_are_issued_in_one_place() -> None:
    """``caesura.notices.warn`` issues them, so that they belong to one thread. ``catch_warnings`` changes all threads."""
    wrong = []
    for path in sorted(SOURCE.rglob("*.py")):
        for node in nodes(path):
            if not (isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute)):
                continue
            name = f"{node.func.value.id}.{node.func.attr}" if isinstance(node.func.value, ast.Name) else ""
            if name.startswith("warnings.") and name != "warnings.filterwarnings" and path.name != "notices.py":
                wrong.append(f"{path.relative_to(SOURCE)}:{node.lineno} {name}")
    assert wrong == []
