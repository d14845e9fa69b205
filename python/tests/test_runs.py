"""The functions of the package, with the cudalab program."""
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import unittest
import unittest.mock
import uuid

import cudalab
from cudalab import runs
from support import ENDLESS, ONLY_COPIES, OUT_OF_BOUNDS, PROGRAM, SCALE, SCALED, WithCompiler


class Kernels(WithCompiler):
    def test_a_kernel_has_a_row_with_counters(self):
        result = cudalab.run(SCALE, **SCALED)
        self.assertIs(result.passed, True)
        self.assertEqual([row["name"] for row in result.rows], ["scale"])
        self.assertEqual(result.counters["scale"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 32)
        self.assertEqual(result.hazards, [])
        self.assertGreater(result.rows[0]["predicted_ms"], 0)
        self.assertIn("scale", str(result))

    def test_a_hazard_is_a_result(self):
        result = cudalab.run(OUT_OF_BOUNDS, **SCALED)
        self.assertIs(result.passed, False)
        self.assertEqual([(hazard["kind"], hazard["where"]["line"]) for hazard in result.hazards], [("out_of_bounds", 4)])

    def test_a_path_runs_as_text_does(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "scale.cu"
            file.write_text(SCALE)
            self.assertEqual(cudalab.run(file, **SCALED).counters, cudalab.run(SCALE, **SCALED).counters)

    def test_no_temporary_folder_is_named(self):
        result = cudalab.run(OUT_OF_BOUNDS, **SCALED)
        for text in (str(result), result.page, str(result.document)):
            self.assertIn("kernel.cu", text)
            self.assertNotIn(runs.folder_of_sources.name, text)

    def test_no_temporary_folder_is_named_from_a_folder_nearby(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            for result in (cudalab.run(OUT_OF_BOUNDS, **SCALED), cudalab.check("padded-tile", ONLY_COPIES)):
                self.assertNotIn(runs.folder_of_sources.name, str(result))
            os.chdir("/")

    def test_headers_are_found_in_the_current_folder(self):
        self.addCleanup(os.chdir, os.getcwd())
        with tempfile.TemporaryDirectory() as folder:
            os.chdir(folder)
            pathlib.Path("factor.h").write_text("#define FACTOR 2\n")
            source = '#include "factor.h"\n' + SCALE.replace("*= 2", "*= FACTOR")
            self.assertIs(cudalab.run(source, **SCALED).passed, True)
            os.chdir("/")

    def test_without_a_kernel_the_kernels_are_listed(self):
        result = cudalab.run(SCALE)
        self.assertEqual((result.document, result.rows, result.passed), (None, [], None))
        self.assertIn("scale(float", str(result))

    def test_html_has_the_page_inline(self):
        text = cudalab.run(SCALE, **SCALED)._repr_html_()
        self.assertIn('<div class="cudalab-page"', text)
        self.assertIn("<svg", text)


class Programs(WithCompiler):
    def test_output_and_report_are_apart(self):
        result = cudalab.run(PROGRAM, arguments=["seven"])
        self.assertEqual(result.output, "argument seven\n")
        self.assertNotIn("seven", result.report)
        self.assertEqual([(row["name"], row["passed"], row["launches"]) for row in result.rows], [("nothing", True, 1)])
        self.assertIn("argument seven", str(result))
        self.assertIn("<pre>argument seven\n</pre>", result._repr_html_())

    def test_an_interrupt_ends_the_program(self):
        marker = f"marker-{uuid.uuid4().hex}"
        script = ("import sys\nfrom cudalab import runs\n"
                  "file = runs.source_file(sys.argv[1], 'endless.cu')\n"
                  "def show(text):\n  print(text, end='', flush=True)\n"
                  "try:\n  runs.run_command(['run', str(file), '--max-steps', '0', '--', sys.argv[2]], on_output=show)\n"
                  "except KeyboardInterrupt:\n  print('interrupted')\n")
        with subprocess.Popen([sys.executable, "-c", script, ENDLESS, marker], stdout=subprocess.PIPE, text=True) as python:
            self.assertEqual(python.stdout.readline(), f"argument {marker}\n")  # so the kernel is about to run
            python.send_signal(signal.SIGINT)
            self.assertEqual(python.stdout.read(), "interrupted\n")
        self.assertFalse([path for path in pathlib.Path("/proc").glob("[0-9]*/cmdline") if marker in text_of(path)])


def text_of(path):
    try:
        return path.read_text(errors="replace")
    except OSError:
        return ""  # that process has ended


class LabsAndExercises(WithCompiler):
    def test_a_lab_has_a_row_per_stage(self):
        result = cudalab.lab("transpose", rows=64, cols=64, stage=["naive", "tiled"], device="virtual")
        self.assertEqual([row["name"] for row in result.rows], ["naive", "tiled"])
        self.assertIs(result.passed, True)

    def test_a_check_has_a_row_per_criterion(self):
        result = cudalab.check("padded-tile", ONLY_COPIES, seed=1)
        self.assertIs(result.passed, False)
        outcomes = {row["name"]: row["passed"] for row in result.rows}
        self.assertEqual((outcomes["compiles"], outcomes["right results"]), (True, False))
        self.assertEqual(result.document["checks"][0]["seed"], 1)
        self.assertIn("padded-tile", result.report)


class Mistakes(WithCompiler):
    def mistake(self, function, *arguments, **options):
        with self.assertRaises(cudalab.Error) as caught:
            function(*arguments, **options)
        self.assertNotIn("\n", str(caught.exception))
        return caught.exception

    def test_a_compile_error_names_the_line(self):
        with self.assertRaises(cudalab.Error) as caught:
            cudalab.run(SCALE.replace("*= 2", "*= two"), **SCALED)
        self.assertEqual(caught.exception.exit_code, 2)
        self.assertRegex(str(caught.exception), r"^kernel\.cu:4: .*two")

    def test_an_unknown_option_is_named(self):
        self.assertIn("--gird", str(self.mistake(cudalab.run, SCALE, gird=4)))

    def test_a_missing_file_is_named(self):
        self.assertIn("missing.cu", str(self.mistake(cudalab.run, "missing.cu")))

    def test_a_missing_compiler_is_named(self):
        with unittest.mock.patch.dict(os.environ, {"CUDALAB_NVRTC": "/nonexistent", "CUDALAB_CACHE_DIR": "/nonexistent"}):
            error = self.mistake(cudalab.run, SCALE, compiler="nvrtc", **SCALED)
        self.assertEqual(error.exit_code, 3)
        self.assertIn("CUDALAB_NVRTC", str(error))


class Tables(unittest.TestCase):
    def test_pandas_gets_a_column_per_counter(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        result = cudalab.lab("transpose", rows=64, cols=64, stage="naive", device="virtual")
        table = result.to_pandas()
        self.assertEqual(list(table["name"]), ["naive"])
        self.assertIn("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum", table.columns)
