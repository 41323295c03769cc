"""``python -m caesura.cli`` is ``caesura``."""

from caesura.cli import main

if __name__ == "__main__":
    main()
