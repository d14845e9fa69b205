// Marks threads of the virtual GPU's own: what they touch, a kernel touches and not the program's host code.
#pragma once

namespace cudalab::vgpu {

inline thread_local bool is_interpreter_thread = false;

}  // namespace cudalab::vgpu
