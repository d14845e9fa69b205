#include "vgpu/opcodes/table.h"

#include <stdexcept>

#include "vgpu/opcodes/atomic.h"
#include "vgpu/opcodes/texture.h"
#include "vgpu/vgpu.h"

namespace cudalab::vgpu {

// Defined once a level by the files opcodes/*.level.cpp, and by opcodes/rare/*.cpp for all levels.
#ifdef CUDALAB_HAS_X86_64_LEVELS
namespace x86_64_v4 {
void add_all_rows(OpcodeTable& table);
}
namespace x86_64_v3 {
void add_all_rows(OpcodeTable& table);
}
#endif
namespace generic {
void add_all_rows(OpcodeTable& table);
}
namespace rare {
void add_all_rows(OpcodeTable& table);
}

namespace {

struct Level {
  std::string_view name;
  bool (*host_has_it)();
  void (*add_all_rows)(OpcodeTable&);
};

#ifdef CUDALAB_HAS_X86_64_LEVELS
// The features that the x86-64 psABI lists for the level and that our loops can come to use.
bool has_v3() {
  return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma") && __builtin_cpu_supports("bmi") &&
         __builtin_cpu_supports("bmi2");
}
bool has_v4() {
  return has_v3() && __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512bw") &&
         __builtin_cpu_supports("avx512cd") && __builtin_cpu_supports("avx512dq") &&
         __builtin_cpu_supports("avx512vl");
}
#endif

// Best first.
constexpr Level kLevels[] = {
#ifdef CUDALAB_HAS_X86_64_LEVELS
    {"x86-64-v4", has_v4, x86_64_v4::add_all_rows},
    {"x86-64-v3", has_v3, x86_64_v3::add_all_rows},
#endif
    {"generic", [] { return true; }, generic::add_all_rows},
};

const Level& best_level() {
  for (const Level& level : kLevels)
    if (level.host_has_it()) return level;
  throw std::logic_error("the generic level runs everywhere");
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
