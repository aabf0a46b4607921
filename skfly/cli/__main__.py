"""What ``python -m skfly.cli`` runs."""

from skfly.cli import main

if __name__ == "__main__":
    main()
