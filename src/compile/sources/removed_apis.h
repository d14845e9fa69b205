// What older textbooks use and CUDA 13 no longer has, and what replaced it.
#pragma once

#include <string>
#include <string_view>

namespace cudalab::compile {

// One sentence about the name that the compiler's error is about, beginning with "; "; empty where it is no
// such name.
std::string advice_on_removed(std::string_view error);

}  // namespace cudalab::compile
