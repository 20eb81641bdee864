"""Entry point of `python -m treewhile.server.commands`, for use without `treewhile` on the path."""

from treewhile.server.commands import main

if __name__ == "__main__":
    main()
