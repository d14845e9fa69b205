// Reads the device code that nvcc embeds in a program, and links the PTX of several objects.
#include "runtime/modules/fat_binary.h"

#include <fmt/format.h>
#include <link.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>
#include <iterator>
#include <map>
#include <string>
#include <utility>

#include "core/error.h"
#include "core/programs/fat_binary_format.h"
#include "messages/runtime.h"
#include "ptx/names.h"

namespace cudalab::runtime {
namespace {

using Renaming = std::map<std::string, std::string>;

// ---- renaming ------------------------------------------------------------------------------------------

using ptx::rename;

void rename(ptx::Operand& operand, const Renaming& renaming);

void rename_part(ptx::Symbol& symbol, const Renaming& renaming) { rename(symbol.name, renaming); }
void rename_part(ptx::Address& address, const Renaming& renaming) {
  for (auto* part : {&address.base, &address.sampler})
    if (auto* symbol = std::get_if<ptx::Symbol>(part)) rename(symbol->name, renaming);
}
void rename_part(ptx::Vector& vector, const Renaming& renaming) {
  for (ptx::Operand& element : vector.elements) rename(element, renaming);
}
template <class Other>
void rename_part(Other&, const Renaming&) {}

void rename(ptx::Operand& operand, const Renaming& renaming) {
  std::visit([&](auto& part) { rename_part(part, renaming); }, operand.value);
}

void rename(ptx::Instruction& instruction, const Renaming& renaming) {
  for (auto* operands : {&instruction.operands, &instruction.call_returns, &instruction.call_arguments})
    for (ptx::Operand& operand : *operands) rename(operand, renaming);
  rename(instruction.call_target, renaming);
}

void rename(ptx::Variable& variable, const Renaming& renaming) {
  rename(variable.name, renaming);
  for (ptx::Initializer& one : variable.initial)
    if (auto* symbol = std::get_if<ptx::Symbol>(&one.value)) rename(symbol->name, renaming);
}

// No name within a function hides a module-level name: ptx::Names ensures that.
void rename(ptx::Module& module, const Renaming& renaming) {
  for (ptx::Variable& variable : module.variables) rename(variable, renaming);
  for (ptx::Function& function : module.functions) {
    rename(function.name, renaming);
    for (ptx::Variable& variable : function.variables) rename(variable, renaming);
    for (ptx::Statement& statement : function.body)
      if (auto* instruction = std::get_if<ptx::Instruction>(&statement)) rename(*instruction, renaming);
  }
  for (ptx::Alias& alias : module.aliases) {
    rename(alias.name, renaming);
    rename(alias.target, renaming);
  }
}

// ---- linking -------------------------------------------------------------------------------------------

bool is_for_all(const ptx::Function& function) {
  return function.is_visible || function.is_weak || function.is_extern;
}
bool is_for_all(const ptx::Variable& variable) {
  return variable.is_visible || variable.is_weak || variable.is_extern || variable.is_common;
}
bool is_definition(const ptx::Function& function) { return !function.is_declaration; }
bool is_definition(const ptx::Variable& variable) { return !variable.is_extern; }

// Local names of `part` that `whole` already contains get a new name.
template <class Thing>
void find_clashes(const std::vector<Thing>& whole, const std::vector<Thing>& part, std::size_t number,
                  Renaming& renaming) {
  std::map<std::string, bool> known;  // name -> whether it is global
  for (const Thing& thing : whole) known[thing.name] = is_for_all(thing);
  for (const Thing& thing : part)
    if (known.contains(thing.name) && !is_for_all(thing))
      renaming[thing.name] = fmt::format("{}@object{}", thing.name, number);
}

bool may_stand_twice(const ptx::Function& function) { return function.is_weak; }
bool may_stand_twice(const ptx::Variable& variable) { return variable.is_weak || variable.is_common; }

template <class Thing>
void add(std::vector<Thing>& whole, std::vector<Thing>& part) {
  std::map<std::string, std::size_t> known;
  for (std::size_t i = 0; i < whole.size(); ++i) known[whole[i].name] = i;
  for (Thing& thing : part) {
    const auto found = known.find(thing.name);
    if (found == known.end()) {
      whole.push_back(std::move(thing));
      continue;
    }
    Thing& before = whole[found->second];
    if (!is_definition(thing)) continue;
    if (is_definition(before) && !may_stand_twice(before) && !may_stand_twice(thing))
      throw usage_error(msg::object_defined_twice(Code{thing.name}));
    if (!is_definition(before)) before = std::move(thing);
  }
}

void add(ptx::Module& whole, ptx::Module part, std::size_t number) {
  Renaming renaming;
  find_clashes(whole.variables, part.variables, number, renaming);
  find_clashes(whole.functions, part.functions, number, renaming);
  if (!renaming.empty()) rename(part, renaming);
  add(whole.variables, part.variables);
  add(whole.functions, part.functions);
  std::move(part.aliases.begin(), part.aliases.end(), std::back_inserter(whole.aliases));
}

}  // namespace

ptx::Module linked(std::vector<ptx::Module> parts) {
  ptx::Module whole = std::move(parts.front());
  for (std::size_t i = 1; i < parts.size(); ++i) add(whole, std::move(parts[i]), i);
  return whole;
}

namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1;
constexpr std::uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;
constexpr std::size_t kContainerHeader = 16, kEntryHeader = 64;
constexpr std::uint64_t kLongestText = 1u << 30, kMostPerByteOfLz4 = 255;
constexpr std::size_t kLongestContainer = std::size_t{1} << 40;
constexpr int kMostContainers = 1 << 16;

struct Wrapper {
  std::uint32_t magic, version;
  const void* container;
  const void* const* prelinked;
};

Error damaged(Message problem) { return usage_error(msg::device_code_damaged(std::move(problem))); }

template <class Value>
Value value_at(std::span<const std::byte> bytes, std::size_t offset) {
  Value value;
  if (offset > bytes.size() || sizeof value > bytes.size() - offset)
    throw damaged(msg::device_code_ends_early());
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::size_t from, std::uint64_t count) {
  if (from > bytes.size() || count > bytes.size() - from) throw damaged(msg::device_code_piece_ends_early());
  return bytes.subspan(from, count);
}

// An upper limit for the unpacked size, so a damaged header cannot cause a huge allocation.
std::uint64_t most_bytes_of(std::span<const std::byte> packed, bool is_zstd) {
  if (!is_zstd) return packed.size() * kMostPerByteOfLz4;
  const unsigned long long said = ZSTD_getFrameContentSize(packed.data(), packed.size());
  return said == ZSTD_CONTENTSIZE_ERROR ? 0 : said;  // if the size is unknown, a huge number
}

std::string unpacked(std::span<const std::byte> packed, std::uint64_t raw_bytes, bool is_zstd) {
  if (raw_bytes > kLongestText || raw_bytes > most_bytes_of(packed, is_zstd))
    throw damaged(msg::device_code_text_too_long());
  std::string text(raw_bytes, '\0');
  const auto* from = reinterpret_cast<const char*>(packed.data());
  if (is_zstd) {
    const std::size_t bytes = ZSTD_decompress(text.data(), text.size(), from, packed.size());
    if (ZSTD_isError(bytes) || bytes != raw_bytes) throw damaged(msg::device_code_not_zstd());
    return text;
  }
  const int bytes =
      LZ4_decompress_safe(from, text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size()));
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) != raw_bytes) throw damaged(msg::device_code_not_lz4());
  return text;
}

// The rest of a loaded segment, from an address on.
struct Piece {
  std::uintptr_t address = 0;
  std::size_t bytes = 0;
};

int look_for(dl_phdr_info* object, std::size_t, void* wanted) {
  Piece& piece = *static_cast<Piece*>(wanted);
  for (int i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = object->dlpi_phdr[i];
    const std::uintptr_t begin = object->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || piece.address < begin || piece.address - begin >= header.p_memsz)
      continue;
    piece.bytes = header.p_memsz - (piece.address - begin);
    return 1;
  }
  return 0;
}

// If the address is in no loaded segment (on the heap, for example), the size is unknown: returns the longest
// possible.
std::size_t loaded_bytes_from(const void* address) {
  Piece piece{reinterpret_cast<std::uintptr_t>(address), kLongestContainer};
  ::dl_iterate_phdr(look_for, &piece);
  return piece.bytes;
}

std::string contents_of(std::span<const std::byte> header, std::span<const std::byte> payload) {
  const auto flags = value_at<std::uint64_t>(header, 40);
  std::string text;
  if (flags & (kLz4Flag | kZstdFlag))
    text = unpacked(part(payload, 0, value_at<std::uint32_t>(header, 16)),
                    value_at<std::uint64_t>(header, 56), (flags & kZstdFlag) != 0);
  else
    text.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  return text;
}

// Uncompressed PTX is padded with zeros.
std::string text_of(std::span<const std::byte> header, std::span<const std::byte> payload) {
  const std::string text = contents_of(header, payload);
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::vector<DeviceImage> images_of(std::span<const std::byte> container, int of_architecture) {
  if (value_at<std::uint32_t>(container, 0) != kFatBinaryMagic)
    throw damaged(msg::device_code_begins_wrong());
  const auto header_bytes = value_at<std::uint16_t>(container, 6);
  std::span<const std::byte> rest = part(container, header_bytes, value_at<std::uint64_t>(container, 8));
  std::vector<DeviceImage> images;
  while (rest.size() >= kEntryHeader) {
    const auto header_size = value_at<std::uint32_t>(rest, 4);
    const auto payload_size = value_at<std::uint64_t>(rest, 8);
    if (header_size < kEntryHeader) throw damaged(msg::device_code_piece_header_short());
    const auto header = part(rest, 0, header_size), payload = part(rest, header_size, payload_size);
    DeviceImage& image = images.emplace_back();
    const auto kind = value_at<std::uint16_t>(rest, 0);
    image.is_ptx = kind == kFatBinaryPtx;
    image.architecture = static_cast<int>(value_at<std::uint32_t>(header, 28));
    image.is_linked = (value_at<std::uint64_t>(header, 40) & kFatBinaryLinkedFlag) != 0;
    if (image.is_ptx) image.ptx = text_of(header, payload);
    if (kind == kFatBinaryMachineCode && image.architecture == of_architecture)
      image.machine_code = contents_of(header, payload);
    rest = rest.subspan(header_size + payload_size);
  }
  return images;
}

std::span<const std::byte> container_in(std::span<const std::byte> bytes) {
  if (value_at<std::uint32_t>(bytes, 0) != kFatBinaryMagic) throw damaged(msg::device_code_begins_wrong());
  const std::size_t header_bytes = value_at<std::uint16_t>(bytes, 6);
  const auto entry_bytes = value_at<std::uint64_t>(bytes, 8);
  if (header_bytes < kContainerHeader) throw damaged(msg::device_code_header_short());
  part(bytes, header_bytes, entry_bytes);
  return bytes.first(header_bytes + entry_bytes);
}

std::span<const std::byte> container_at(const void* address) {
  if (!address) throw damaged(msg::device_code_not_at_wrapper());
  return container_in({static_cast<const std::byte*>(address), loaded_bytes_from(address)});
}

std::vector<const void*> containers_of(const void* address) {
  if (!address) throw damaged(msg::device_code_without_wrapper());
  const auto& wrapper = *static_cast<const Wrapper*>(address);
  if (wrapper.magic != kWrapperMagic) throw damaged(msg::device_code_wrapper_unknown());
  if (wrapper.version != 2 || !wrapper.prelinked) return {wrapper.container};
  std::vector<const void*> containers;
  for (int i = 0; i < kMostContainers && wrapper.prelinked[i]; ++i)
    containers.push_back(wrapper.prelinked[i]);
  return containers;
}

}  // namespace cudalab::runtime
