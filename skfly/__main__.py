"""``python -m skfly`` is the ``skfly`` command."""

from skfly.cli import main

if __name__ == "__main__":
    main()
