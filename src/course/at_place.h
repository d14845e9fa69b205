// Tells in which file a mistake stands that was found by what knows nothing of files.
#pragma once

#include <fmt/format.h>

#include <string_view>

#include "core/error.h"

namespace cudalab::course {

// What `work` throws as Error comes out with `place` before it, once.
template <class Work>
auto at_place(std::string_view place, const Work& work) {
  try {
    return work();
  } catch (const Error& error) {
    const std::string_view what = error.what();
    if (what.starts_with(place)) throw;
    throw Error(error.code(), fmt::format("{}: {}", place, what));
  }
}

}  // namespace cudalab::course
