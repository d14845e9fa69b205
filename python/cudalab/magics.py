"""The commands that `%load_ext cudalab` adds to IPython and Jupyter, and the completion of their options."""
import pathlib
import shlex
import sys

from IPython.core.magic import Magics, cell_magic, line_magic, magics_class

from . import runs
from .options import exercises, help_of, makes_a_result, names_in, options_in
from .program import Error, call
from .progress import shown_progress

CELL = "cell.cu"                            # the name of a cell's source in reports
AT_A_TERMINAL = {"learn", "quiz", "watch"}  # commands that ask questions or wait for keys


@magics_class
class CudalabMagics(Magics):
    @cell_magic
    def cuda(self, line, cell):
        """Run the kernel or the whole program in this cell.

        %%cuda [-o NAME] [options of `cudalab run`] [-- ARGUMENTS]

            %%cuda                       runs a program with main, or lists the kernels of the cell
            %%cuda --kernel scale --grid 4 --block 256 --arg buf:f32:1000:iota --arg i32:1000

        -o NAME keeps the cell as a file. The result is in `_`.
        """
        words, name = split_line(line)
        with shown_progress(self.shell):
            if name:
                return run_shown(["run", keep(cell, name), *words])
            file = runs.source_file(cell, CELL)
            return run_shown(runs.words_for_source(file, words), file.parent)

    @cell_magic
    def cuda_check(self, line, cell):
        """Check the solution of an exercise in this cell.

        %%cuda_check EXERCISE [-o NAME] [options of `cudalab check`]
        """
        words, name = split_line(line)
        if not words or words[0].startswith("-"):
            raise Error("%%cuda_check needs an exercise, as in `%%cuda_check padded-tile`; `%cudalab list` lists all")
        exercise, *words = words
        with shown_progress(self.shell):
            if name:
                return runs.check_file(exercise, pathlib.Path(keep(cell, name)), words)
            return runs.check_source(exercise, cell, words)

    @line_magic
    def cudalab(self, line):
        """Run a lab, or another command of cudalab: %cudalab transpose --tile 16"""
        words = words_in(line)
        if words and words[0] in AT_A_TERMINAL:
            raise Error(f"{words[0]} needs a terminal; type there: cudalab {line.strip()}")
        if words and "--help" not in words and makes_a_result(words[0]):
            with shown_progress(self.shell):
                return run_shown(words)
        ended = call(words or ["--help"])
        if ended.exit_code not in (0, 1):
            raise ended.error()
        print(ended.output + ended.errors, end="")
        return None


def run_shown(words, folder=None):
    """Runs a command. Shows the output of a whole program while the program runs; the result follows at its end."""
    if words[0] not in ("run", "exec") or any(word.split("=")[0] == "--kernel" for word in words):
        return runs.run_command(words, folder=folder)
    result = runs.run_command(words, on_output=show, folder=folder)
    return result if result.document else None  # a list of kernels has been shown


def show(text):
    sys.stdout.write(text.replace(f"cudalab run {CELL}", "%%cuda"))
    sys.stdout.flush()


def words_in(line):
    try:
        return shlex.split(line)
    except ValueError as error:
        raise Error(f"cannot split `{line.strip()}` into words: {error}; close the quotation mark") from error


def split_line(line):
    """The words of a cell's first line without `-o NAME`, and NAME or None."""
    words = words_in(line)
    end = words.index("--") if "--" in words else len(words)
    if "-o" not in words[:end]:
        return words, None
    at = words.index("-o")
    if at + 1 == end:
        raise Error("-o needs the name of the file that keeps the cell, as in `-o saxpy.cu`")
    return words[:at] + words[at + 2:], words[at + 1]


def keep(cell, name):
    path = pathlib.Path(name if pathlib.Path(name).suffix else name + ".cu")
    try:
        path.write_text(cell, encoding="utf-8")
    except OSError as error:
        raise Error(f"cannot write {path}: {error.strerror}; choose another -o NAME") from error
    return str(path)


# ---- completion ----------------------------------------------------------------------------------------------------


def completions(line, symbol):
    """The words that may stand at the end of `line`, whose last word is `symbol` so far."""
    words = line.split()[:-1] if symbol else line.split()
    operands = {"%%cuda": ["run"], "%%cuda_check": ["check"]}.get(words[0], words[1:2]) if words else []
    if not operands:
        return names_in(help_of())
    options = options_in(help_of(*operands))
    if options.get(words[-1]):
        return options[words[-1]]
    if words == ["%%cuda_check"]:
        return exercises()
    return list(options) + (["-o"] if words[0].startswith("%%") else [])


def complete(shell, event):
    try:
        return [word for word in completions(event.line, event.symbol) if word.startswith(event.symbol)]
    except Error:
        return []  # without the program there is nothing to offer


def load(shell):
    shell.register_magics(CudalabMagics)
    for magic in ("%%cuda", "%%cuda_check", "%cudalab"):
        shell.set_hook("complete_command", complete, str_key=magic)
