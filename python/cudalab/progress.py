"""Shows below a cell how long its command has been running, and what the command said last, such as an estimate."""
import contextlib
import html
import sys
import threading
import time

from . import program

FIRST_SECONDS = 2.0  # a shorter command shows nothing
EVERY_SECONDS = 1.0


@contextlib.contextmanager
def progress(show, first=FIRST_SECONDS, every=EVERY_SECONDS):
    """Calls show(text) about once per second while the commands of the block run, and show("") at their end.

    show is called from a thread. It is not called for a block that ends before `first` seconds.
    """
    said, done, begin = [""], threading.Event(), time.monotonic()

    def listen(text):
        lines = (said[0] + text).splitlines(keepends=True)
        said[0] = "".join(lines[-2:])  # the last whole line, and the one that is arriving

    def tell():
        wait, has_shown = first, False
        while not done.wait(wait):
            lines = [line.strip() for line in said[0].splitlines() if line.strip()]
            show(f"Running for {int(time.monotonic() - begin)} s." + (f" {lines[-1]}" if lines else ""))
            wait, has_shown = every, True
        if has_shown:
            show("")

    teller = threading.Thread(target=tell, daemon=True)
    before, program.error_listener = program.error_listener, listen
    teller.start()
    try:
        yield
    finally:
        program.error_listener = before
        done.set()
        teller.join()


def shown_progress(shell):
    """The progress of a block where this IPython shows it: in a notebook's cell, or in the last line of a terminal."""
    if hasattr(shell, "kernel"):
        return progress(InNotebook())
    if sys.stderr.isatty():
        return progress(show_in_terminal)
    return contextlib.nullcontext()


class InNotebook:
    """One output of the cell, which is replaced."""

    def __init__(self):
        self.handle = None

    def __call__(self, text):
        from IPython.display import HTML, display

        output = HTML(f"<pre>{html.escape(text)}</pre>" if text else "")
        if self.handle:
            self.handle.update(output)
        else:
            self.handle = display(output, display_id=True)


def show_in_terminal(text):
    sys.stderr.write(f"\r\x1b[K{text}")
    sys.stderr.flush()
