// What a kernel would be that learns nothing from one of its sources: to see whether that source matters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// The same PTX, in which every shuffle, vote, match and reduction among lanes takes place, and gives 0.
std::string without_exchanges(std::string_view ptx);

// The same PTX, in which every load from shared memory takes place, and gives 0. So do loads that do not say
// which memory they read.
std::string without_shared_loads(std::string_view ptx);

// The same PTX, in which some of the statements that do so are left out: those that `idle` has true for, in
// the order of the text. A lane has its own value then where a shuffle or a reduction would have brought
// another's, and 0 where it would have learnt anything else; the lanes wait for each other as before.
std::string with_idle_exchanges(std::string_view ptx, const std::vector<bool>& idle);
std::string with_idle_shared_loads(std::string_view ptx, const std::vector<bool>& idle);

// How many statements these are.
std::size_t count_exchanges(std::string_view ptx);
std::size_t count_shared_loads(std::string_view ptx);

}  // namespace cudalab::ptx
