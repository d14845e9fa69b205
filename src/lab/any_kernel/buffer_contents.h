// What a kernel left in its buffers: sentences and prints.
#pragma once

#include <string>

#include "lab/any_kernel/bound_arguments.h"
#include "lab/result.h"

namespace cudalab::lab {

// "out (1000 x f32): digest 0x…, 3 elements never written."
std::string note_on(const BoundElements& elements, const Bytes& bytes);

// Rows of 8 elements after the index of the first, in columns.
Figure print_of(const PrintRange& range, const BoundElements& elements, const Bytes& bytes);

}  // namespace cudalab::lab
