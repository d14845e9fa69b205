"""Finding the cudalab program, and `python -m cudalab`."""
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

import cudalab


class Program(unittest.TestCase):
    def test_the_module_runs_the_program(self):
        ended = subprocess.run([sys.executable, "-m", "cudalab", "--version"], capture_output=True, text=True)
        self.assertEqual((ended.returncode, ended.stdout.split()[:2]), (0, ["cudalab", cudalab.version()]))

    def test_the_module_passes_exit_codes(self):
        ended = subprocess.run([sys.executable, "-m", "cudalab", "nonsense"], capture_output=True, text=True)
        self.assertEqual(ended.returncode, 2)

    def test_a_wrong_path_is_named(self):
        with unittest.mock.patch.dict(os.environ, {"CUDALAB_PROGRAM": "/nonexistent"}):
            with self.assertRaisesRegex(cudalab.Error, "CUDALAB_PROGRAM=/nonexistent"):
                cudalab.program_path()

    def test_scripts_of_the_same_name_are_passed_over(self):
        with tempfile.TemporaryDirectory() as folder, unittest.mock.patch.dict(os.environ, {"PATH": folder}):
            os.environ.pop("CUDALAB_PROGRAM", None)
            script = pathlib.Path(folder) / "cudalab"
            script.write_text("#!/bin/sh\n")
            script.chmod(0o755)
            with unittest.mock.patch.object(pathlib.Path, "is_file", return_value=False):
                with self.assertRaisesRegex(cudalab.Error, "not found"):
                    cudalab.program_path()

    def test_a_virtual_environment_is_named_to_the_program(self):
        with unittest.mock.patch.object(sys, "prefix", "/venv"), unittest.mock.patch.dict(os.environ):
            os.environ.pop("VIRTUAL_ENV", None)
            self.assertEqual(cudalab.program.environment()["VIRTUAL_ENV"], "/venv")
