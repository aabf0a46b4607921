"""Run the command line: ``python -m skfly.cli``."""

from skfly.cli import main

if __name__ == "__main__":
    main()
