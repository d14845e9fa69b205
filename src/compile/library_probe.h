// Whether a library may be loaded into this process: one that is cut off or damaged can end whoever loads it.
#pragma once

#include <string>

namespace cudalab::compile {

// Tries it in a process of its own. Empty where that process lived on, also where it found no such library;
// else what became of it: "crashed (Bus error) when it was loaded".
std::string crash_of_loading(const std::string& library);

}  // namespace cudalab::compile
