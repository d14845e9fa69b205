"""Kernels for the tests of the Python package, and a base class that skips them where no compiler is found."""
import functools
import unittest

import cudalab

SCALE = """
__global__ void scale(float* values, int count) {
  const int at = blockIdx.x * blockDim.x + threadIdx.x;
  if (at < count) values[at] *= 2;
}
"""
OUT_OF_BOUNDS = SCALE.replace("at < count", "at <= count")
SCALED = {"kernel": "scale", "grid": 4, "block": 256, "arg": ["buf:f32:1000:iota", "i32:1000"]}
SCALED_LINE = "--kernel scale --grid 4 --block 256 --arg buf:f32:1000:iota --arg i32:1000"
PROGRAM = """
#include <stdio.h>
__global__ void nothing() {}
int main(int argc, char** argv) {
  printf("argument %s\\n", argc > 1 ? argv[1] : "none");
  fflush(stdout);
  nothing<<<1, 32>>>();
  return cudaDeviceSynchronize() != cudaSuccess;
}
"""
ENDLESS = PROGRAM.replace("nothing() {}", "nothing() { while (true) clock(); }")
ONLY_COPIES = """
__global__ void transpose(const float* in, float* out, int rows, int columns) {
  const int row = blockIdx.y * blockDim.y + threadIdx.y, column = blockIdx.x * blockDim.x + threadIdx.x;
  if (row < rows && column < columns) out[row * columns + column] = in[row * columns + column];
}
"""


@functools.lru_cache(maxsize=None)
def why_no_compiler():
    cudalab.version()  # a missing program is an error, not a reason to skip
    try:
        cudalab.run(SCALE, **SCALED)
    except cudalab.Error as error:
        if error.exit_code != 3:
            raise
        return str(error)
    return ""


class WithCompiler(unittest.TestCase):
    """Tests that compile kernels; skipped where no compiler is found."""

    @classmethod
    def setUpClass(cls):
        if why_no_compiler():
            raise unittest.SkipTest(why_no_compiler())
