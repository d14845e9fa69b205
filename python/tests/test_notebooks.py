"""The example notebooks: all cells run. Skipped where nbconvert or a kernel for this Python is not installed."""
import pathlib
import tempfile
import unittest

from support import WithCompiler

try:
    import ipykernel  # noqa: F401
    import nbformat
    from nbconvert.preprocessors import ExecutePreprocessor
except ImportError as error:
    raise unittest.SkipTest(f"notebooks need nbconvert and ipykernel: {error}")

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
NOTEBOOKS = sorted((ROOT / "python/notebooks").glob("*.ipynb"))


def cells_of(notebook, start):
    return [cell for cell in notebook.cells if cell.cell_type == "code" and cell.source.startswith(start)]


def html_of(cell):
    return "".join(output.data.get("text/html", "") for output in cell.outputs if output.output_type == "execute_result")


class Notebooks(WithCompiler):
    def test_all_cells_run(self):
        for file in NOTEBOOKS:
            notebook = nbformat.read(file, as_version=4)
            with self.subTest(file.stem), tempfile.TemporaryDirectory() as folder:
                ExecutePreprocessor(timeout=600, kernel_name="python3").preprocess(
                    notebook, {"metadata": {"path": folder}})
                for cell in cells_of(notebook, ("%%cuda", "%cudalab")):
                    self.assertIn('class="cudalab-page"', html_of(cell), cell.source)

    def test_they_are_kept_without_outputs(self):
        self.assertEqual(len(NOTEBOOKS), 5)
        for file in NOTEBOOKS:
            for cell in cells_of(nbformat.read(file, as_version=4), ""):
                self.assertEqual((cell.outputs, cell.execution_count), ([], None), file.name)

    def test_exercises_begin_with_their_starters(self):
        for file in NOTEBOOKS:
            for cell in cells_of(nbformat.read(file, as_version=4), "%%cuda_check"):
                line, _, source = cell.source.partition("\n")
                starter = ROOT / f"labs/{file.stem}/exercise/{line.split()[1]}/starter.cu"
                self.assertEqual(source.strip(), starter.read_text().strip(), file.name)
