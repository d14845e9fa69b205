// Makes the arguments of a launch in device memory, and reads what the kernel left in its buffers.
#include "lab/any_kernel/bound_arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <span>
#include <utility>
#include <vector>

#include "core/digest.h"
#include "core/error.h"
#include "lab/arrays.h"
#include "messages/lab.h"

namespace cudalab::lab {
namespace {

bool is_poison(std::span<const std::byte> element, std::uint8_t poison) {
  return std::all_of(element.begin(), element.end(),
                     [poison](std::byte byte) { return byte == std::byte{poison}; });
}

// The number of elements that still hold the poison of unwritten memory.
std::size_t untouched_elements(const ArgumentSpec& spec, const Bytes& bytes) {
  if (spec.fill != Fill::kUnwritten) return 0;
  const std::size_t size = info(spec.type).bytes;
  std::size_t count = 0;
  for (std::size_t at = 0; at < bytes.size(); at += size)
    count += is_poison(std::span(bytes).subspan(at, size), poison_of(spec.type));
  return count;
}

Message what_happened(const BoundElements& elements, const Bytes& bytes) {
  if (elements.spec.fill != Fill::kUnwritten)
    return bytes == elements.initial ? msg::buffer_unchanged() : msg::buffer_changed();
  if (elements.is_variable) return msg::buffer_variable();
  const std::size_t untouched = untouched_elements(elements.spec, bytes);
  if (untouched == 0) return msg::buffer_written();
  return untouched == elements.spec.count ? msg::buffer_never_written()
                                          : msg::buffer_partly_written(untouched);
}

std::string element_text(const BoundElements& elements, std::span<const std::byte> element) {
  const ArgumentSpec& spec = elements.spec;
  if (spec.fill == Fill::kUnwritten && !elements.is_variable && is_poison(element, poison_of(spec.type)))
    return "unwritten";
  return scalar_text(spec.type, element);
}

}  // namespace

Message note_on(const BoundElements& elements, const Bytes& bytes) {
  return msg::note_on_buffer(elements.name, elements.spec.count, info(elements.spec.type).name, digest(bytes),
                             what_happened(elements, bytes));
}

Figure print_of(const PrintRange& range, const BoundElements& elements, const Bytes& bytes) {
  constexpr std::size_t kInARow = 8;
  const ArgumentSpec& spec = elements.spec;
  const std::size_t size = info(spec.type).bytes,
                    count = std::min<std::size_t>(range.count, spec.count - range.first);
  std::vector<std::string> texts;
  for (std::size_t i = 0; i < count; ++i)
    texts.push_back(element_text(elements, std::span(bytes).subspan((range.first + i) * size, size)));
  std::size_t width = 0;
  for (const std::string& text : texts) width = std::max(width, text.size());
  const std::size_t index_width = std::to_string(range.first + count - 1).size();
  Figure figure;
  figure.title = msg::title_printed_elements(elements.name, count, info(spec.type).name, range.first);
  for (std::size_t i = 0; i < count; ++i) {
    if (i % kInARow == 0) figure.lines.push_back(fmt::format("[{:>{}}]", range.first + i, index_width));
    figure.lines.back() += fmt::format("  {:>{}}", texts[i], width);
  }
  return figure;
}

namespace {

Bytes bytes_of_address(std::uint64_t address) {
  const auto bytes = std::as_bytes(std::span(&address, 1));
  return {bytes.begin(), bytes.end()};
}

// tex1Dfetch reads linear memory, all other functions read arrays. A one-dimensional texture without sampling
// options is linear memory.
bool is_linear_memory(const ArgumentSpec& spec) {
  return spec.kind == ArgumentKind::kTexture && spec.shape.dimensions() == 1 && !spec.is_array;
}

}  // namespace

std::uint8_t poison_of(ScalarType type) { return is_floating(type) ? kFloatPoison : kIntegerPoison; }

double bytes_of_memory(const ArgumentSpec& spec) {
  double bytes = spec.has_elements() ? static_cast<double>(spec.bytes()) : 0;
  for (const ArgumentSpec& part : spec.parts) bytes += bytes_of_memory(part);
  return bytes;
}

// ---- making ------------------------------------------------------------------------------------------

void BoundArguments::add(const ArgumentSpec& spec, const std::string& name) {
  arguments_.push_back(device::Argument(bytes_of(spec, name, std::to_string(arguments_.size() + 1))));
}

void BoundArguments::add_variable(const ArgumentSpec& spec, const std::string& name, std::uint64_t address,
                                  std::size_t bytes) {
  if (spec.kind == ArgumentKind::kBuffer && (spec.bytes() == bytes || bytes != sizeof address)) {
    if (spec.bytes() != bytes)
      throw usage_error(msg::symbol_wrong_size(name, spec.text, bytes, spec.bytes()));
    BoundElements& elements = new_elements(spec, name, "");
    elements.address = address;
    elements.is_variable = true;
    return;
  }
  Bytes content = bytes_of(spec, name, "");
  if (content.size() > bytes)
    throw usage_error(msg::symbol_wrong_size(name, spec.text, bytes, content.size()));
  uploads_.push_back({address, std::move(content)});
}

Bytes BoundArguments::bytes_of(const ArgumentSpec& spec, const std::string& name,
                               const std::string& position) {
  switch (spec.kind) {
    case ArgumentKind::kValue: return spec.value;
    case ArgumentKind::kPadding: return Bytes(spec.bytes());
    case ArgumentKind::kStruct: return bytes_of_parts(spec, name, position);
    case ArgumentKind::kBuffer: return bytes_of_address(make_buffer(spec, name, position));
    case ArgumentKind::kPointers: return bytes_of_address(make_pointers(spec, name, position));
    case ArgumentKind::kTexture:
    case ArgumentKind::kSurface: break;
  }
  return bytes_of_address(make_texture(spec, name, position));
}

Bytes BoundArguments::bytes_of_parts(const ArgumentSpec& spec, const std::string& name,
                                     const std::string& position) {
  const std::vector<std::size_t> offsets = offsets_of_parts(spec);
  Bytes all(offsets.back());
  const bool is_struct = spec.kind == ArgumentKind::kStruct;
  for (std::size_t i = 0; i < spec.parts.size(); ++i) {
    const std::string part = is_struct ? fmt::format("{}.{}", name, i + 1) : fmt::format("{}[{}]", name, i);
    const Bytes bytes = bytes_of(spec.parts[i], part, fmt::format("{}.{}", position, i + 1));
    std::copy(bytes.begin(), bytes.end(), all.begin() + static_cast<std::ptrdiff_t>(offsets[i]));
  }
  return all;
}

BoundElements& BoundArguments::new_elements(const ArgumentSpec& spec, const std::string& name,
                                            const std::string& position) {
  BoundElements& elements = elements_.emplace_back();
  elements.spec = spec;
  elements.name = name;
  elements.position = position;
  elements.initial = initial_bytes(spec, position.empty() ? name : position);
  return elements;
}

std::uint64_t BoundArguments::make_buffer(const ArgumentSpec& spec, const std::string& name,
                                          const std::string& position) {
  BoundElements& elements = new_elements(spec, name, position);
  elements.buffer = device_.allocate(name, spec.bytes());
  return elements.address = elements.buffer.address();
}

std::uint64_t BoundArguments::make_pointers(const ArgumentSpec& spec, const std::string& name,
                                            const std::string& position) {
  Bytes content = bytes_of_parts(spec, name, position);
  const device::Buffer& memory = memory_of_pointers_.emplace_back(device_.allocate(name, content.size()));
  uploads_.push_back({memory.address(), std::move(content)});
  return memory.address();
}

std::uint64_t BoundArguments::make_texture(const ArgumentSpec& spec, const std::string& name,
                                           const std::string& position) {
  device::Textures& textures = device_.textures();
  if (is_linear_memory(spec)) {
    const std::uint64_t address = make_buffer(spec, name, position);
    return textures_
        .emplace_back(textures.create_texture(LinearTexels{address, spec.shape.format, spec.shape.width},
                                              spec.sampling.read))
        .value();
  }
  BoundElements& elements = new_elements(spec, name, position);
  elements.array = textures.create_array(name, spec.shape);
  if (spec.kind == ArgumentKind::kTexture)
    return textures_.emplace_back(textures.create_texture(elements.array, spec.sampling)).value();
  return surfaces_.emplace_back(textures.create_surface(elements.array)).value();
}

// ---- filling and reading -----------------------------------------------------------------------------

void BoundArguments::fill() const {
  for (const Upload& upload : uploads_) device_.upload(upload.address, upload.bytes);
  for (const BoundElements& one : elements_) {
    const bool is_unwritten = one.spec.fill == Fill::kUnwritten;
    if (one.array.value())
      device_.textures().upload(one.array, one.initial);
    else if (!is_unwritten)
      device_.upload(one.address, one.initial);
    else if (!one.is_variable)
      device_.fill(one.address, one.buffer.bytes(), poison_of(one.spec.type), true);
  }
}

Bytes BoundArguments::read(const BoundElements& elements) const {
  Bytes bytes(elements.spec.bytes());
  if (elements.array.value())
    device_.textures().download(elements.array, bytes);
  else
    device_.download(elements.address, bytes);
  return bytes;
}

}  // namespace cudalab::lab
