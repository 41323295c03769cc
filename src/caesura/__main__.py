"""Run ``caesura`` as ``python -m caesura``."""

from caesura.cli.program import main

if __name__ == "__main__":
    main(prog_name="caesura")
