// The bytes of a text's debug sections, as `-G` leaves them: numbers in directives, and names that a linker
// would replace.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace cudalab::ptx {

// Where the bytes are a name's address, of which PTX knows no more.
struct DebugSymbol {
  std::string name;  // of a label or variable of the code; empty: a place in a section, which `offset` says
  std::uint64_t offset = 0;
};

struct DebugSection {
  std::vector<std::uint8_t> bytes;
  std::map<std::size_t, DebugSymbol> symbols;  // by where they stand
};

// By their names, ".debug_info". Lines that are no data are passed over.
std::map<std::string, DebugSection> debug_sections(std::string_view ptx);

}  // namespace cudalab::ptx
