"""Run ``caesura`` as ``python -m caesura.cli``."""

from caesura.cli import main

if __name__ == "__main__":
    main()
