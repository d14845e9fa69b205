"""The commands of IPython. Skipped where IPython is not installed."""
import contextlib
import io
import os
import pathlib
import tempfile
import unittest

import cudalab
from support import ONLY_COPIES, OUT_OF_BOUNDS, PROGRAM, SCALE, SCALED_LINE, WithCompiler

try:
    from IPython.core.interactiveshell import InteractiveShell
    from IPython.core.completer import provisionalcompleter
except ImportError:
    raise unittest.SkipTest("IPython is not installed")


class Magics(WithCompiler):
    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.shell = InteractiveShell.instance()
        cls.shell.history_manager.enabled = False
        cls.shell.run_line_magic("load_ext", "cudalab")

    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.addCleanup(os.chdir, os.getcwd())
        os.chdir(folder.name)

    def run_cell(self, text):
        """The outcome of a cell, and what it printed."""
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed):
            outcome = self.shell.run_cell(text)
        return outcome, printed.getvalue()

    def test_a_kernel_gives_a_result(self):
        outcome, _ = self.run_cell(f"%%cuda {SCALED_LINE}\n{SCALE}")
        self.assertIsInstance(outcome.result, cudalab.Result)
        self.assertIs(outcome.result.passed, True)

    def test_a_hazard_is_no_error_of_the_cell(self):
        outcome, printed = self.run_cell(f"%%cuda {SCALED_LINE}\n{OUT_OF_BOUNDS}")
        self.assertTrue(outcome.success)
        self.assertIn("cell.cu:4", printed)

    def test_the_result_is_in_the_underscore(self):
        self.run_cell(f"%%cuda {SCALED_LINE}\n{SCALE}")
        outcome, _ = self.run_cell("_.rows[0]['name']")
        self.assertEqual(outcome.result, "scale")

    def test_variables_of_python_are_inserted(self):
        self.run_cell("count = 1000")
        outcome, _ = self.run_cell(f"%%cuda {SCALED_LINE.replace('i32:1000', 'i32:{count}')}\n{SCALE}")
        self.assertIs(outcome.result.passed, True)

    def test_output_of_a_program_is_shown_once(self):
        outcome, printed = self.run_cell(f"%%cuda -- seven\n{PROGRAM}")
        self.assertEqual(printed.count("argument seven"), 1)
        self.assertEqual(outcome.result.output, "argument seven\n")

    def test_kernels_are_listed_with_the_command_to_write(self):
        outcome, printed = self.run_cell(f"%%cuda\n{SCALE}")
        self.assertIsNone(outcome.result)
        self.assertIn("%%cuda --kernel scale", printed)

    def test_a_cell_can_be_kept(self):
        outcome, _ = self.run_cell(f"%%cuda -o kept {SCALED_LINE}\n{SCALE}")
        self.assertIs(outcome.result.passed, True)
        self.assertEqual(pathlib.Path("kept.cu").read_text().strip(), SCALE.strip())

    def test_an_exercise_is_checked(self):
        outcome, printed = self.run_cell(f"%%cuda_check padded-tile\n{ONLY_COPIES}")
        self.assertIs(outcome.result.passed, False)
        self.assertIn("right results", printed)

    def test_a_lab_gives_a_result(self):
        outcome, _ = self.run_cell("%cudalab transpose --rows 64 --cols 64 --stage naive --device virtual")
        self.assertEqual([row["name"] for row in outcome.result.rows], ["naive"])

    def test_other_commands_print(self):
        outcome, printed = self.run_cell("%cudalab list")
        self.assertIsNone(outcome.result)
        self.assertIn("padded-tile", printed)

    def test_mistakes_are_one_line_without_a_traceback(self):
        for cell in (f"%%cuda --gird 4\n{SCALE}", "%cudalab nonsense", "%cudalab learn transpose", "%%cuda_check\nint x;",
                     "%%cuda -o\nint x;", "%%cuda --json\nint x;", "%%cuda --kernel '\nint x;"):
            with self.subTest(cell):
                outcome, printed = self.run_cell(cell)
                self.assertFalse(outcome.success)
                self.assertIsInstance(outcome.error_in_exec, cudalab.Error)
                self.assertEqual(printed.count("\n"), 1, printed)
                self.assertTrue(printed.startswith("cudalab: "), printed)

    def test_an_error_of_the_compiler_has_no_traceback(self):
        outcome, printed = self.run_cell("%%cuda\nint main() { two; }")
        self.assertIsInstance(outcome.error_in_exec, cudalab.Error)
        self.assertRegex(printed, r"^cudalab: cell\.cu:1: .*two")
        self.assertNotIn("Traceback", printed)

    def completions(self, line):
        with provisionalcompleter():
            return {completion.text for completion in self.shell.Completer.completions(line, len(line))}

    def test_options_are_completed(self):
        # IPython itself adds names of Python.
        self.assertIn("--max-steps", self.completions("%%cuda --max"))
        self.assertIn("virtual", self.completions("%%cuda --device v"))
        self.assertLessEqual({"--rows", "--roofline"}, self.completions("%cudalab transpose --ro"))

    def test_names_are_completed(self):
        self.assertIn("transpose", self.completions("%cudalab transp"))
        self.assertIn("padded-tile", self.completions("%%cuda_check pad"))
