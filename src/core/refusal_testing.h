// The error message of a function, for tests.
#pragma once

#include <gtest/gtest.h>

#include <string>

#include "core/error.h"

namespace cudalab {

// The message of the Error that `work` throws; "" if it throws none.
template <class Work>
std::string refusal_of(const Work& work, ExitCode code = ExitCode::kUsage) {
  try {
    work();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code) << error.what();
    return error.what();
  }
  return "";
}

}  // namespace cudalab
