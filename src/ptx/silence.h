// Variants of a kernel without the data from one of its sources, to find out whether that source matters.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// The same PTX, but every shuffle, vote, match and warp reduction yields 0. The instructions still execute.
std::string without_exchanges(std::string_view ptx);

// The same PTX, but every load from shared memory yields 0. The loads still execute. Loads with generic
// addresses are included.
std::string without_shared_loads(std::string_view ptx);

// The same PTX without the exchanges for which `idle` is true, counted in the order of the text. In their
// place, a shuffle or reduction yields the lane's own value, and other exchanges yield 0. The lanes still
// synchronize.
std::string with_idle_exchanges(std::string_view ptx, const std::vector<bool>& idle);
std::string with_idle_shared_loads(std::string_view ptx, const std::vector<bool>& idle);

// The number of these exchanges.
std::size_t count_exchanges(std::string_view ptx);
std::size_t count_shared_loads(std::string_view ptx);

}  // namespace cudalab::ptx
