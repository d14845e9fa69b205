// The source lines that `.file` and `.loc` give to instructions; PTX names the files last, so lines are kept
// as numbers until the whole text is read.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <tuple>
#include <vector>

#include "ptx/module.h"

namespace cudalab::ptx {

class LineTable {
 public:
  struct Position {
    std::uint32_t file = 0, line = 0, column = 0;
    friend auto operator<=>(const Position&, const Position&) = default;
  };

  void start_function();
  // `.loc`: the position of what follows. Line 0, which compilers give to code of their own, changes nothing.
  void set(const Position& position);
  // `.loc … inlined_at parent`, where `parent` is the position of an earlier `.loc`, maybe itself inlined.
  void set_inlined(const Position& position, const Position& parent);
  // The present position, as a number to keep with an instruction; 0 for none.
  std::size_t current() const { return current_; }

  // Writes the lines of position `number` into the instruction. Throws Error(kUsage) when the file names,
  // repeated for every instruction, would fill the memory.
  void describe(std::size_t number, const std::vector<std::string>& files, Instruction& instruction);

 private:
  struct Location {
    Position position;
    std::size_t inlined_at = 0;  // index of the parent, which stands before; 0 for none
  };
  SourceLine source_line(const Position& position, const std::vector<std::string>& files);
  void add(const Position& position, std::size_t inlined_at);

  std::vector<Location> locations_{Location{}};
  std::map<Position, std::size_t> last_at_;  // within the function
  std::size_t current_ = 0;
  std::size_t bytes_ = 0;
};

}  // namespace cudalab::ptx
