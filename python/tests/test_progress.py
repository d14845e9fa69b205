"""The progress of a command: below a cell of a notebook's kernel, and as its pieces."""
import os
import pathlib
import stat
import tempfile
import time
import unittest
import unittest.mock

from cudalab import program
from cudalab.progress import progress
from support import ENDLESS, WithCompiler

try:
    import ipykernel  # noqa: F401
    from jupyter_client.manager import start_new_kernel
except ImportError:
    start_new_kernel = None


class Pieces(unittest.TestCase):
    def run_script(self, text, **times):
        """What is shown while a stand-in for the program runs."""
        shown = []
        with tempfile.TemporaryDirectory() as folder:
            script = pathlib.Path(folder) / "cudalab"
            script.write_text(f"#!/bin/sh\n{text}\n")
            script.chmod(script.stat().st_mode | stat.S_IXUSR)
            with unittest.mock.patch.dict(os.environ, {"CUDALAB_PROGRAM": str(script)}), progress(shown.append, **times):
                ended = program.call([])
        return shown, ended

    def test_a_short_command_shows_nothing(self):
        shown, _ = self.run_script("echo estimate >&2", first=30)
        self.assertEqual(shown, [])

    def test_the_last_line_of_standard_error_is_shown_and_removed_at_the_end(self):
        shown, ended = self.run_script("echo first >&2; echo the kernel takes 90 s >&2; printf last >&2; read line; sleep 1; echo out",
                                       first=0.2, every=0.2)
        self.assertEqual(shown[-1], "")
        self.assertRegex(shown[-2], r"^Running for \d s\. last$")
        self.assertEqual((ended.output, ended.errors), ("out\n", "first\nthe kernel takes 90 s\nlast"))

    def test_nothing_listens_after_the_end(self):
        self.run_script("true")
        self.assertIsNone(program.error_listener)


@unittest.skipUnless(start_new_kernel, "ipykernel and jupyter_client are not installed")
class InAKernel(WithCompiler):
    def setUp(self):
        # The kernel finds the package and the program as this process does.
        self.manager, self.client = start_new_kernel(kernel_name="python3")
        self.addCleanup(self.manager.shutdown_kernel, now=True)
        self.addCleanup(self.client.stop_channels)
        self.client.execute_interactive("%load_ext cudalab", timeout=60)

    def test_an_endless_kernel_shows_its_time_until_it_is_interrupted(self):
        shown = []

        def listen(message):
            if message["msg_type"] not in ("display_data", "update_display_data"):
                return
            shown.append(message["content"]["data"].get("text/html"))
            if len(shown) == 2:
                self.manager.interrupt_kernel()

        begin = time.monotonic()
        reply = self.client.execute_interactive(f"%%cuda --max-steps 0\n{ENDLESS}", timeout=120, output_hook=listen)
        self.assertEqual(reply["content"]["ename"], "KeyboardInterrupt")
        self.assertLess(time.monotonic() - begin, 60)
        self.assertRegex(shown[0], r"^<pre>Running for \d+ s\.")
        self.assertEqual(shown[-1], "")


if __name__ == "__main__":
    unittest.main()
