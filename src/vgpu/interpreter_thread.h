// Marks threads that belong to the virtual GPU: memory accesses on them are made by a kernel, not by the
// program's host code.
#pragma once

namespace cudalab::vgpu {

inline thread_local bool is_interpreter_thread = false;

}  // namespace cudalab::vgpu
