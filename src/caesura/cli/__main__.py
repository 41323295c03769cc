"""Run ``caesura`` as ``python -m caesura.cli``."""

from caesura.__main__ import run

if __name__ == "__main__":
    run()
