"""`python -m treewhile.server.commands`, where the `treewhile` command is not on the path."""

from treewhile.server.commands import main

if __name__ == "__main__":
    main()
