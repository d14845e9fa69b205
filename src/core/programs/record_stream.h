// Records of a program as bytes, for a socket between two processes of one machine.
//
//   LENGTH (4 bytes) KIND (1 byte: the index in ProgramRecord) FIELDS
//
// Numbers stand as they are in memory, texts and lists behind their length, what may be absent behind a byte.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/programs/program_record.h"

namespace cudalab {

// The whole message, with its length.
std::string message_of(const ProgramRecord& record);

// Takes messages as they come, in pieces of any size. What was sent by a stranger is never trusted: throws
// Error(kUsage) at the first byte that no record has.
class RecordReader {
 public:
  void add(std::string_view bytes) { unread_ += bytes; }
  std::optional<ProgramRecord> next();  // nothing: the rest has not come yet

 private:
  std::string unread_;
  std::size_t taken_ = 0;
};

}  // namespace cudalab
