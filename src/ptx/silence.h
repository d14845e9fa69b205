// What a kernel would be that learns nothing from one of its sources: to see whether that source matters.
#pragma once

#include <string>
#include <string_view>

namespace cudalab::ptx {

// The same PTX, in which every shuffle, vote, match and reduction among lanes takes place, and gives 0.
std::string without_exchanges(std::string_view ptx);

// The same PTX, in which every load from shared memory takes place, and gives 0. So do loads that do not say
// which memory they read.
std::string without_shared_loads(std::string_view ptx);

}  // namespace cudalab::ptx
