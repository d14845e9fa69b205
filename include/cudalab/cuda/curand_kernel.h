// Random numbers in kernels, as the cuRAND Library Programming Guide describes its device API. The bits and uniform numbers
// are NVIDIA's; docs/programs.md states how close the other distributions are. Without MTGP32 and the Sobol sequences.
#pragma once

#include "cuda_runtime.h"
#include "detail/random_distributions.h"
