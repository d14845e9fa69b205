// A lab at several sizes, one after the other: how the time of each stage grows with its size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/lab.h"

namespace cudalab::lab {

// The options that together are the lab's size: those that it names, else `n` where it has one; else none.
std::vector<std::string> size_options(const Lab& lab);

// The sizes that a text asks for, ascending: A,B,C, or FIRST:LAST, which doubles; none of an empty text.
// Throws Error(kUsage) where the text is neither, where the lab has no size, or where an option of its size
// does not take one of them.
std::vector<std::int64_t> sizes_from(const Lab& lab, const std::string& text);

// Runs at each size that is not the result's own and adds the figure of the times. No sizes: seven, each
// twice the one before; the largest is the result's own, or as far above it as the virtual GPU soon runs. A
// stage that is wrong at a size has no time there, and a note says so. Nothing is added where no stage has
// two times.
using RunAtSize = std::function<Result(const RunRequest&)>;
void add_times_by_size(const Lab& lab, const RunRequest& request, std::vector<std::int64_t> sizes,
                       const RunAtSize& run, Result& result);

}  // namespace cudalab::lab
