#include "vgpu/checks/hazard_log.h"

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>

namespace cudalab::vgpu {
namespace {

// `_ZZ9transposePfE4tile` -> "tile"; also `_ZZ9transposePfE4tile_$_0`, what the compiler keeps of an array
// that it took apart.
std::string short_name(const std::string& whole) {
  const std::string symbol = whole.substr(0, whole.rfind("_$_"));
  if (!symbol.starts_with("_Z")) return symbol;  // `x` alone would be demangled too: to `long long`
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> demangled(
      abi::__cxa_demangle(symbol.c_str(), nullptr, nullptr, &status), std::free);
  if (status != 0 || !demangled) return symbol;
  const std::string name = demangled.get();
  const auto scope = name.rfind("::");
  return scope == std::string::npos ? name : name.substr(scope + 2);
}

}  // namespace

bool is_of_kernel(const SharedVariable& variable, const Launch& launch) {
  return std::ranges::find(variable.kernels, launch.code->function) != variable.kernels.end();
}

namespace {

Place shared_place(const Launch& launch, std::uint64_t offset) {
  for (const SharedVariable& variable : launch.program->shared_variables) {
    if (!is_of_kernel(variable, launch)) continue;
    if (offset - variable.offset < variable.bytes)
      return {&variable, short_name(variable.name), offset - variable.offset, variable.bytes};
  }
  const std::uint64_t base = launch.dynamic_shared_base;
  if (offset >= base) return {&launch, "the dynamic shared memory", offset - base};
  return {launch.program, "shared memory", offset};
}

}  // namespace

std::string Place::text(int element_bytes) const {
  const bool is_variable = !name.empty() && name.find(' ') == std::string::npos;
  const auto bytes = static_cast<std::uint64_t>(std::max(element_bytes, 1));
  if (is_variable && is_whole(bytes)) return fmt::format("`{}`", name);
  if (!is_variable && offset % bytes == 0 && bytes > 1)
    return fmt::format("element {} of {}", offset / bytes, name);
  if (!is_variable) return fmt::format("byte {} of {}", offset, name);
  if (offset % bytes != 0 || element_bytes <= 0) return fmt::format("byte {} of `{}`", offset, name);
  return fmt::format("`{}[{}]`", name, offset / bytes);
}

Place place_of(const Launch& launch, std::uint64_t address) {
  if (address - kSharedWindow < kWindowBytes) return shared_place(launch, address - kSharedWindow);
  if (address - kLocalWindow < kWindowBytes) return {&launch, "its local memory", address - kLocalWindow};
  const Allocation* allocation = launch.memory->find(address);
  if (!allocation) return {nullptr, "", address};
  return {allocation, short_name(allocation->name), address - allocation->base};
}

std::size_t HazardLog::Hash::operator()(const Key& key) const {
  std::size_t value = static_cast<std::size_t>(key.kind);
  for (const std::size_t part :
       {std::size_t{key.line}, std::size_t{key.other_line}, reinterpret_cast<std::size_t>(key.buffer)})
    value = (value ^ part) * 0x9e3779b97f4a7c15ull;
  return value;
}

void HazardLog::add(HazardKind kind, std::uint32_t line, std::uint32_t other_line, const void* buffer,
                    const std::function<Hazard()>& make, RacePair pair, bool is_with_plain_load) {
  const bool is_race = pair != RacePair::kNone;  // of two lines, whichever came first
  const Key key{kind, is_race ? std::min(line, other_line) : line,
                is_race ? std::max(line, other_line) : other_line, buffer};
  if (const auto found = known_.find(key); found != known_.end()) {
    Hazard& known = block_->hazards[found->second];
    const std::uint64_t occurrences = known.occurrences + 1;
    const bool are_all_with_loads = known.is_with_plain_load && is_with_plain_load;
    if (pair > known.pair) known = make();
    known.pair = std::max(known.pair, pair);
    known.occurrences = occurrences;
    known.is_with_plain_load = are_all_with_loads;
    return;
  }
  if (in_block_ == kMostInBlock || known_.size() == kMost) return;
  ++in_block_;
  known_[key] = block_->hazards.size();
  block_->hazards.push_back(make());
  block_->hazards.back().pair = pair;
  block_->hazards.back().is_with_plain_load = is_with_plain_load;
}

}  // namespace cudalab::vgpu
