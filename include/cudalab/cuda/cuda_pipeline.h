// The C interface of asynchronous copies. The class nvcuda::experimental::pipeline is not here.
#pragma once

#include "cuda_pipeline_primitives.h"
