"""Recipes of the programs and shared tasks whose numbers people compare with: one file each, which registers its recipe."""

from importlib import import_module
from pkgutil import iter_modules


def register_all() -> None:
    """Import every file of this folder."""
    for module in iter_modules(__path__):
        import_module(f"{__name__}.{module.name}")


register_all()
