"""Build steps of the package: how the kernels are compiled, for every compiler and every Python.

`pyproject.toml` names these classes as the setuptools commands `build_ext` and `bdist_wheel`. Each `src/caesura/kernels/*.pyx`
becomes one extension module, so a new kernel needs no declaration.
"""

import sys
import sysconfig
from pathlib import Path

from setuptools import Extension
from setuptools.command.bdist_wheel import bdist_wheel
from setuptools.command.build_ext import build_ext

# The oldest Python that the limited API serves; a wheel for it also works on every later version.
OLDEST_PYTHON = (3, 11)
# PyPy and the free-threaded builds of CPython have no limited API; each of their versions needs its own wheel.
LIMITED_API = sys.implementation.name == "cpython" and not sysconfig.get_config_var("Py_GIL_DISABLED")


class BuildKernels(build_ext):
    """Compile all kernels against the limited API, with the same floating-point arithmetic on every processor."""

    def finalize_options(self) -> None:
        """Replace the pattern of pyproject.toml by one extension module per kernel."""
        self.distribution.ext_modules = _kernels(
            [source for declared in self.distribution.ext_modules or [] for source in declared.sources]
        )
        super().finalize_options()

    def build_extensions(self) -> None:
        """Compile every kernel with the flags of the compiler in use."""
        compile_args, link_args = _flags(self.compiler.compiler_type)
        for kernel in self.extensions:
            kernel.extra_compile_args = compile_args
            kernel.extra_link_args = link_args
        super().build_extensions()

    def copy_extensions_to_source(self) -> None:
        """Copy the kernels of an editable install, and remove older files that Python would import instead of them."""
        super().copy_extensions_to_source()
        for kernel in self.extensions:
            target = Path("src", *kernel.name.split("."))
            current = Path(self.get_ext_filename(kernel.name)).name
            for stale in target.parent.glob(f"{target.name}.*{sysconfig.get_config_var('SHLIB_SUFFIX') or '.pyd'}"):
                if stale.name != current:
                    stale.unlink()


class BuildWheel(bdist_wheel):
    """Give the wheel the tag of the limited API."""

    def finalize_options(self) -> None:
        """Set the oldest Python of the limited API."""
        if LIMITED_API:
            self.py_limited_api = "cp{}{}".format(*OLDEST_PYTHON)
        super().finalize_options()


def _kernels(patterns: list[str]) -> list[Extension]:
    """Return one extension module per file that the patterns match."""
    macros = [("Py_LIMITED_API", "0x{:02X}{:02X}0000".format(*OLDEST_PYTHON))] if LIMITED_API else []
    return [
        Extension(
            ".".join(path.relative_to("src").with_suffix("").parts),
            [path.as_posix()],
            define_macros=macros,
            py_limited_api=LIMITED_API,
        )
        for path in sorted({path for pattern in patterns for path in Path().glob(pattern)})
    ]


def _flags(compiler: str) -> tuple[list[str], list[str]]:
    """Return the compiler and linker flags for a kind of compiler.

    No fused multiply-add, which only some processors have, so that scores are identical on all of them. No debugging symbols,
    which are three quarters of the size.
    """
    if compiler == "msvc":
        return ["/fp:precise"], []
    return ["-ffp-contract=off", "-g0"], ["-Wl,-s"] if sysconfig.get_platform().startswith("linux") else []
