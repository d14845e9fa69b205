"""Options: from Python arguments, and from the help texts of the cudalab program."""
import unittest

import cudalab
from cudalab import options


class Words(unittest.TestCase):
    def test_values_become_options(self):
        words = options.words_from({"kernel": "mm<float,16>", "grid": (4, 4), "block": 256, "lines": True, "verbose": False,
                                    "card": None, "max_steps": 9, "as_": "padded"})
        self.assertEqual(words, ["--kernel=mm<float,16>", "--grid=4,4", "--block=256", "--lines", "--max-steps=9",
                                 "--as=padded"])

    def test_lists_and_mappings_repeat_an_option(self):
        words = options.words_from({"arg": ["f32:2", "i32:1"], "define": {"N": 4}, "stage": ["naive", "tiled"]})
        self.assertEqual(words, ["--arg=f32:2", "--arg=i32:1", "--define=N=4", "--stage=naive,tiled"])

    def test_arguments_of_a_program_come_last(self):
        self.assertEqual(options.words_from({"arguments": [1000, "--json"], "gpus": 2}), ["--gpus=2", "--", "1000", "--json"])

    def test_options_that_the_package_passes_itself_are_refused(self):
        for name in ("json", "html", "color"):
            with self.assertRaises(cudalab.Error):
                options.words_from({name: True})


class Help(unittest.TestCase):
    def test_options_of_run_are_found_with_their_values(self):
        found = options.options_in(options.help_of("run"))
        self.assertEqual(found["--device"], ["auto", "gpu", "virtual"])
        self.assertEqual(found["--grid"], [])
        self.assertIn("--max-steps", found)

    def test_names_that_are_no_values_are_not_offered(self):
        self.assertEqual(options.options_in(options.help_of("run"))["--card"], [])

    def test_labs_and_commands_are_named(self):
        self.assertLessEqual({"transpose", "read-offset", "check", "cards"}, set(options.names_in(options.help_of())))

    def test_labs_make_results_and_lists_do_not(self):
        self.assertEqual([options.makes_a_result(name) for name in ("transpose", "run", "list", "check", "nonsense")],
                         [True, True, False, False, False])

    def test_exercises_are_named(self):
        self.assertIn("padded-tile", options.exercises())
