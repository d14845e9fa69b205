// Runs a lab at several sizes in sequence, and shows how the time of each stage grows with the size.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "lab/lab.h"

namespace cudalab::lab {

// The options that together are the lab's size: those that it names, else `n` if it has one; else none.
std::vector<std::string> size_options(const Lab& lab);

// The sizes in a text, ascending: A,B,C, or FIRST:LAST, which doubles; none for an empty text. Throws
// Error(kUsage) if the text is neither, if the lab has no size, or if one of its size options does not accept
// a value.
std::vector<std::int64_t> sizes_from(const Lab& lab, const std::string& text);

// Runs the lab at each size other than the result's own, and adds the figure of the times. If no sizes are
// given: seven, each twice the one before, up to the result's own size or the largest that the virtual GPU
// finishes quickly. A stage with a wrong result at a size has no time there, and a note says so. Nothing is
// added if no stage has two times.
// two times.
using RunAtSize = std::function<Result(const RunRequest&)>;
void add_times_by_size(const Lab& lab, const RunRequest& request, std::vector<std::int64_t> sizes,
                       const RunAtSize& run, Result& result);

}  // namespace cudalab::lab
