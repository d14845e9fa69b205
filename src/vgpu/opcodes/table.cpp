#include "vgpu/opcodes/table.h"

#include <stdexcept>

#include "core/error.h"
#include "messages/vgpu.h"
#include "vgpu/levels.h"
#include "vgpu/opcodes/atomic.h"
#include "vgpu/opcodes/texture.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// Defined once per level by the files opcodes/*.level.cpp, and by opcodes/rare/*.cpp for all levels.
// levels.inc has a row for each level that was built, best first.
#define CUDALAB_LEVEL_ROW(level, name)   \
  namespace level {                      \
  void add_all_rows(OpcodeTable& table); \
  }
#include "vgpu/levels.inc"
#undef CUDALAB_LEVEL_ROW
namespace rare {
void add_all_rows(OpcodeTable& table);
}

namespace {

struct Level {
  std::string_view name;
  bool (*host_has_it)();
  void (*add_all_rows)(OpcodeTable&);
};

constexpr Level kLevels[] = {
#define CUDALAB_LEVEL_ROW(level, name) {name, host_has::level, level::add_all_rows},
#include "vgpu/levels.inc"
#undef CUDALAB_LEVEL_ROW
};

const Level& best_level() {
  for (const Level& level : kLevels)
    if (level.host_has_it()) return level;
  throw unavailable_error(msg::processor_lacks_instructions(kLevels[0].name));
}

OpcodeTable make_table(const Level& level) {
  OpcodeTable table;
  level.add_all_rows(table);
  rare::add_all_rows(table);
  add_atomic_rows(table);
  add_texture_rows(table);
  return table;
}

}  // namespace

void OpcodeTable::add(Row row) {
  if (!index_.emplace(row.opcode, rows_.size()).second)
    throw std::logic_error("two rows for the opcode " + row.opcode);
  rows_.push_back(std::move(row));
}

void OpcodeTable::add(std::string_view opcode, Shape shape, ptx::Type result, int source_count,
                      std::array<ptx::Type, 4> sources, Handler run) {
  add(Row{std::string(opcode), shape, result, source_count, sources, run});
}

const Row* OpcodeTable::find(std::string_view opcode) const {
  const auto found = index_.find(opcode);
  return found == index_.end() ? nullptr : &rows_[found->second];
}

const OpcodeTable& opcode_table() {
  static const OpcodeTable table = make_table(best_level());
  return table;
}

std::vector<std::pair<std::string_view, const OpcodeTable*>> opcode_tables() {
  static const std::vector<std::pair<std::string_view, OpcodeTable>> tables = [] {
    std::vector<std::pair<std::string_view, OpcodeTable>> made;
    for (const Level& level : kLevels)
      if (level.host_has_it()) made.emplace_back(level.name, make_table(level));
    return made;
  }();
  std::vector<std::pair<std::string_view, const OpcodeTable*>> result;
  for (const auto& [name, table] : tables) result.emplace_back(name, &table);
  return result;
}

std::string_view instruction_set_level() { return best_level().name; }

}  // namespace cudalab::vgpu
