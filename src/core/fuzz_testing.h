// Tells expected errors from bugs in fuzz targets.
#pragma once

#include "core/error.h"

namespace cudalab {

// Runs `work` and ignores an Error, which is a valid answer to bad input. Any other exception is a bug.
template <class Work>
void unless_refused(const Work& work) {
  try {
    work();
  } catch (const Error&) {
  }
}

}  // namespace cudalab
