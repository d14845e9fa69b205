// The source lines that `.file` and `.loc` give to instructions.
#include "ptx/line_table.h"

#include "core/error.h"
#include "ptx/limits.h"

namespace cudalab::ptx {

void LineTable::start_function() {
  last_at_.clear();
  current_ = 0;
}

void LineTable::set(const Position& position) {
  if (position.line != 0) add(position, 0);
}

void LineTable::set_inlined(const Position& position, const Position& parent) {
  if (position.line == 0) return;
  const auto known = last_at_.find(parent);
  if (known != last_at_.end()) return add(position, known->second);
  locations_.push_back({parent, 0});
  add(position, locations_.size() - 1);
}

void LineTable::add(const Position& position, std::size_t inlined_at) {
  current_ = locations_.size();
  locations_.push_back({position, inlined_at});
  last_at_[position] = current_;
}

void LineTable::describe(std::size_t number, const std::vector<std::string>& files,
                         Instruction& instruction) {
  if (number == 0) return;
  instruction.where = source_line(locations_[number].position, files);
  for (number = locations_[number].inlined_at; number != 0; number = locations_[number].inlined_at) {
    if (instruction.inlined_at.size() == kMaxInlineDepth) return;
    instruction.inlined_at.push_back(source_line(locations_[number].position, files));
  }
}

SourceLine LineTable::source_line(const Position& position, const std::vector<std::string>& files) {
  SourceLine line;
  if (position.file < files.size()) line.file = files[position.file];
  line.line = static_cast<int>(position.line);
  bytes_ += sizeof(SourceLine) + line.file.size();
  if (bytes_ > kMaxLineTableBytes)
    throw usage_error("the PTX has too much line information; compile it without -lineinfo and -G");
  return line;
}

}  // namespace cudalab::ptx
