"""Runs CUDA kernels, programs and labs with the cudalab program, and returns what it found as Python objects.

    import cudalab
    result = cudalab.run("saxpy.cu", kernel="saxpy", grid=4, block=256,
                         arg=["f32:2", "buf:f32:1000:iota", "buf:f32:1000:random", "i32:1000"])
    print(result)                 # what the program prints
    result.passed, result.rows, result.counters, result.hazards

In IPython and Jupyter, `%load_ext cudalab` adds `%%cuda`, `%%cuda_check` and `%cudalab`; see docs/jupyter.md.
"""
from .program import Error, program_path, version
from .result import Result
from .runs import check, lab, run

__all__ = ["Error", "Result", "check", "lab", "program_path", "run", "version"]


def load_ipython_extension(shell):
    """Called by `%load_ext cudalab`."""
    from .magics import load

    load(shell)
