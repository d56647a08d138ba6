"""The notebook in Examples runs from its first cell to its last."""

from pathlib import Path

import pytest
from needs import needs_library

NOTEBOOK = Path(__file__).parents[2] / "Examples" / "choosing-a-cache.ipynb"


@needs_library
@pytest.mark.filterwarnings("default")
def test_the_notebook_runs() -> None:
    nbclient = pytest.importorskip("nbclient")
    nbformat = pytest.importorskip("nbformat")
    notebook = nbformat.read(NOTEBOOK, as_version=4)
    assert not any(cell.get("outputs") for cell in notebook.cells), "outputs are not kept in git"
    nbclient.NotebookClient(notebook, timeout=300, kernel_name="python3").execute()
    table = notebook.cells[-1].outputs[-1]["data"]["text/plain"]
    assert "LargerOfTwo" in table
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("image/png" in output.get("data", {}) for output in outputs)
