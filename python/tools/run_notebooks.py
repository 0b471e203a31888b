"""Executes notebooks from top to bottom; an exception in a cell ends it with the cell."""

import pathlib
import sys

import nbformat
from nbclient import NotebookClient

for name in sys.argv[1:]:
    path = pathlib.Path(name)
    notebook = nbformat.read(path, as_version=4)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(path.parent)}}).execute()
    print(f"{path.name}: {sum(cell.cell_type == 'code' for cell in notebook.cells)} cells")
