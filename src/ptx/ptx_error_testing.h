// The error of a PTX text called "test.ptx", for tests of the lexer and the parser.
#pragma once

#include <cstddef>
#include <utility>

#include "core/diagnostics/message_testing.h"
#include "messages/ptx.h"

namespace cudalab::ptx {

inline Message error_at(int line, std::size_t column, Message problem) {
  return msg::ptx_error("test.ptx", line, column, std::move(problem));
}

}  // namespace cudalab::ptx
