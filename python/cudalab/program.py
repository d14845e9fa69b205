"""Finds the cudalab program and runs it as a child process."""
import codecs
import os
import pathlib
import shutil
import signal
import subprocess
import sys
import threading

error_listener = None  # gets standard error of each child piece by piece, from a thread; see progress.py
SECONDS_TO_STOP = 5  # after an interrupt, the program ends its own children and writes what it has found


class Error(Exception):
    """A refusal of the cudalab program, in its own words: the cause and the next step."""

    def __init__(self, message, exit_code=2):
        super().__init__(message)
        self.exit_code = exit_code

    def _render_traceback_(self):
        """IPython shows these lines in the place of a traceback."""
        return [f"cudalab: {self}"]


def program_path():
    """Returns the program: from CUDALAB_PROGRAM, the installed wheel, this checkout's build, or PATH, in this order."""
    named = os.environ.get("CUDALAB_PROGRAM")
    if named:
        if not os.access(named, os.X_OK) or os.path.isdir(named):
            raise Error(f"CUDALAB_PROGRAM={named} is not a program; set it to the cudalab binary, or unset it", 3)
        return pathlib.Path(named)
    package = pathlib.Path(__file__).resolve().parent
    for path in (package / "_root/bin/cudalab", package.parent.parent / "build/release/cudalab"):
        if path.is_file():
            return path
    for folder in os.get_exec_path():
        found = shutil.which("cudalab", path=folder)
        if found and is_binary(found):
            return pathlib.Path(found)
    raise Error("the cudalab program was not found; install the wheel or the Debian package, "
                "or set CUDALAB_PROGRAM to the binary", 3)


def is_binary(path):
    """Returns true if it is the program itself: pip's script of the same name would start this package again."""
    with open(path, "rb") as file:
        return file.read(4) == b"\x7fELF"


def environment():
    """This process's variables. The program looks for pip's NVRTC in VIRTUAL_ENV, which notebooks do not set."""
    variables = dict(os.environ)
    if sys.prefix != sys.base_prefix:
        variables.setdefault("VIRTUAL_ENV", sys.prefix)
    return variables


def version():
    """The program's version, as in `0.1.0`."""
    return call(["--version"]).output.split()[1]


class Ended:
    """A child that has ended: its exit code (negative after a signal), standard output and standard error."""

    def __init__(self, exit_code, output, errors):
        self.exit_code, self.output, self.errors = exit_code, output, errors

    def error(self):
        """Returns the reason that the program gave for ending without a result."""
        text = self.errors.strip() or f"the program ended with exit code {self.exit_code} and said nothing"
        return Error(text[len("cudalab: "):] if text.startswith("cudalab: ") else text, self.exit_code)


def call(words, on_output=None):
    """Runs the program with these arguments to its end. `on_output` gets standard output piece by piece.

    The child shares this process's group: a terminal's Ctrl-C reaches it, and so does the end of a notebook's kernel.
    """
    try:
        child = subprocess.Popen([str(program_path()), *words], env=environment(), stdin=subprocess.DEVNULL,
                                 stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    except OSError as error:
        raise Error(f"cannot start {program_path()}: {error.strerror}", 3) from error
    with child.stdout, child.stderr:
        errors = []
        reader = threading.Thread(target=lambda: errors.append(read_to_end(child.stderr, error_listener)), daemon=True)
        reader.start()
        try:
            output = read_to_end(child.stdout, on_output)
            reader.join()
            exit_code = child.wait()
        except BaseException:
            stop(child)
            raise
    return Ended(exit_code, output, "".join(errors))


def read_to_end(pipe, on_output):
    decoder = codecs.getincrementaldecoder("utf-8")("replace")
    pieces = []
    while True:
        data = os.read(pipe.fileno(), 1 << 16)
        text = decoder.decode(data, final=not data)
        pieces.append(text)
        if text and on_output:
            on_output(text)
        if not data:
            return "".join(pieces)


def stop(child):
    """Interrupts the child as Ctrl-C does, and kills it if it does not end in time or the user interrupts again."""
    try:
        child.send_signal(signal.SIGINT)
        child.wait(SECONDS_TO_STOP)
    except (subprocess.TimeoutExpired, KeyboardInterrupt):
        child.kill()
        child.wait()
