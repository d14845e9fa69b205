#include "vgpu/decode/module_context.h"

#include <algorithm>
#include <cstring>

#include "core/error.h"

namespace cudalab::vgpu {

Slot ConstantPool::slot(std::uint64_t bits, std::size_t lane_bytes) {
  if (lane_bytes > 0 && lane_bytes < 8) bits &= (1ull << (8 * lane_bytes)) - 1;
  const auto [found, is_new] = slots_.try_emplace({bits, lane_bytes});
  if (is_new) {
    constexpr std::uint32_t kMaxBytes = 1u << 28;  // a slot holds 30 bits
    if (size_ > kMaxBytes) throw usage_error("the PTX has more constants than the virtual GPU can hold");
    found->second = make_slot(kConstants, size_);
    size_ += static_cast<std::uint32_t>(std::max<std::size_t>(64, lane_bytes * kWarpSize));
  }
  return found->second;
}

HostBytes ConstantPool::contents() const {
  HostBytes bytes = allocate_host(size_);
  for (const auto& [key, slot] : slots_) {
    std::byte* to = bytes.get() + offset_of(slot);
    if (key.second == 0) {
      const std::uint32_t mask = key.first ? kAllLanes : 0;
      std::memcpy(to, &mask, sizeof mask);
    } else {
      for (int lane = 0; lane < kWarpSize; ++lane)
        std::memcpy(to + lane * key.second, &key.first, key.second);
    }
  }
  return bytes;
}

Slot ModuleContext::special_slot(const SpecialRegister& special) {
  const auto [found, is_new] = specials.try_emplace(std::string(special.name));
  if (is_new) {
    if (program->special_bytes == 0) program->special_bytes = kFirstRegister;
    found->second = make_slot(kSpecials, program->special_bytes);
    program->special_bytes += kWarpSize * 4;
    program->specials.push_back({&special, found->second});
  }
  return found->second;
}

const Slot* ModuleContext::keep(std::vector<Slot> slots) {
  return program->slot_lists.emplace_back(std::move(slots)).data();
}

// ---- lines -------------------------------------------------------------------------------------------
namespace {

bool names_file(const SourceLine& line, std::string_view name) {
  return line.file == name || (line.file.size() > name.size() && line.file.ends_with(name) &&
                               line.file[line.file.size() - name.size() - 1] == '/');
}

}  // namespace

// The line in the user's own file where there is one: a header's line says little to who calls it. Of a whole
// program, whose files nobody names, a source is what is no header.
const SourceLine& ModuleContext::line_of_user(const ptx::Instruction& instruction) const {
  const auto innermost = [&](const auto& is_users) -> const SourceLine* {
    if (is_users(instruction.where)) return &instruction.where;
    const auto found = std::ranges::find_if(instruction.inlined_at, is_users);
    return found == instruction.inlined_at.end() ? nullptr : &*found;
  };
  const SourceLine* found = innermost([&](const SourceLine& line) { return names_file(line, source_name); });
  if (!found) found = innermost([](const SourceLine& line) { return line.file.ends_with(".cu"); });
  return found ? *found : instruction.where;
}

std::uint32_t ModuleContext::line_index(const ptx::Instruction& instruction) {
  const SourceLine& line = line_of_user(instruction);
  if (line.line == 0) return 0;
  const auto [found, is_new] =
      line_numbers.try_emplace({line.file, line.line}, static_cast<std::uint32_t>(program->lines.size()));
  if (is_new)
    program->lines.push_back(names_file(line, source_name) ? SourceLine{source_name, line.line} : line);
  return found->second;
}

}  // namespace cudalab::vgpu
