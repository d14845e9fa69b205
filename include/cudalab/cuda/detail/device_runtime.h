// Functions of the runtime that a kernel calls.
#pragma once

#include "../driver_types.h"
#include "qualifiers.h"

CUDALAB_EXTERNAL void cudaGraphSetConditional(cudaGraphConditionalHandle handle, unsigned value);
