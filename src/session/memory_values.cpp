// The memory that a warp finds before a line: arrays in shared memory, buffers in global memory, and changes
// of values.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "core/error.h"
#include "core/text.h"
#include "messages/session.h"
#include "session/lane_expression.h"
#include "session/launch_debugger.h"
#include "vgpu/memory/memory.h"

namespace cudalab::session {
namespace {

// The declaration of a variable in the memory space, such as "__shared__ float a[4], name[8]"; empty if the
// source has none.
std::string_view declaration_of(std::string_view source, std::string_view space, const std::string& name) {
  for (std::size_t at = source.find(space); at != std::string_view::npos; at = source.find(space, at + 1)) {
    std::string_view declaration = source.substr(at, source.find_first_of(";{=", at) - at);
    if (space != "__shared__") declaration = declaration.substr(0, declaration.find('('));  // of a function
    const std::vector<std::string> words = names_in(declaration);
    if (std::ranges::find(words, name) != words.end()) return declaration;
  }
  return {};
}

bool is_module_variable(std::string_view source, const std::string& name) {
  return !declaration_of(source, "__constant__", name).empty() ||
         !declaration_of(source, "__device__", name).empty();
}

// The first word of a declaration that names a type in the table above.
const ElementType* declared_type(std::string_view source, const std::string& name) {
  for (const std::string_view space : {"__shared__", "__constant__", "__device__"})
    if (const ElementType* type = element_type_in(declaration_of(source, space, name))) return type;
  return nullptr;
}

struct Elements {
  ptx::Type type{};
  std::uint64_t bytes = 0;
};

// The element type that the warp's own accesses use. It works for any type or macro in the declaration.
std::optional<Elements> accessed_elements(const vgpu::WarpTrace& trace,
                                          const std::function<bool(const vgpu::TracedAccess&)>& is_meant) {
  for (const vgpu::WarpStep& step : trace.steps)
    for (std::uint32_t i = 0; i < step.accesses; ++i) {
      const vgpu::TracedAccess& access = trace.accesses[step.first_access + i];
      const std::vector<vgpu::TracedValue>& values = trace.instruction_of(step).values;
      if (values.empty() || !is_meant(access)) continue;
      const ptx::Type type = shown_type(values[0], trace.values[step.first_value], step.executing);
      return Elements{type, access.bytes / access.elements};
    }
  return std::nullopt;
}

std::uint64_t bits_in(const std::vector<std::byte>& memory, std::uint64_t at, std::uint64_t bytes) {
  std::uint64_t bits = 0;
  if (at + bytes <= memory.size()) std::memcpy(&bits, memory.data() + at, std::min<std::uint64_t>(bytes, 8));
  return bits;
}

// Larger variables are not shown element by element.
constexpr std::uint64_t kLargestShownWhole = 1u << 16;

std::string index_text(std::uint64_t index) { return "[" + std::to_string(index) + "]"; }

// "[4][8]" of 32 elements with the inner dimension 8.
std::string shape_text(std::uint64_t elements, const std::vector<std::uint64_t>& inner) {
  std::string text;
  for (const std::uint64_t each : inner) {
    elements /= std::max<std::uint64_t>(each, 1);
    text += index_text(each);
  }
  return index_text(elements) + text;
}

LaneVariable shown_element(const std::string& name, ValuePlace place, std::uint64_t bits) {
  LaneVariable element{name, "", "", {}};
  element.value = value_text(place.type, static_cast<std::uint32_t>(place.bytes), bits);
  element.memory = place.address;
  element.place = std::move(place);
  return element;
}

}  // namespace

// ---- shared memory -------------------------------------------------------------------------------------

LaunchDebugger::Array LaunchDebugger::described(const std::string& name, std::uint64_t address,
                                                std::uint64_t bytes) {
  Array array{.name = name, .type = *ptx::type_named("b32"), .address = address, .bytes = bytes};
  const auto is_of_array = [&](const vgpu::TracedAccess& access) { return access.buffer == name; };
  const auto accessed = accessed_elements(walk().trace(), is_of_array);
  const ElementType* const declared = declared_type(source_, name);
  if (accessed) array.type = accessed->type;
  if (!accessed && declared) array.type = declared->type;
  if (accessed || declared) array.element = accessed ? accessed->bytes : declared->bytes;
  array.element_name = declared ? declared->word : name_in_source(array.type);
  for (const compile::DeclaredArray& each : compile::array_shapes(source_, launch_.given))
    if (each.name == name) array.inner = each.inner;
  return array;
}

std::vector<LaunchDebugger::Array> LaunchDebugger::shared_descriptions() {
  std::vector<Array> arrays;
  for (const vgpu::TracedVariable& each : walk().trace().shared_variables)
    arrays.push_back(described(each.name, vgpu::kSharedWindow + each.offset, each.bytes));
  return arrays;
}

std::vector<LaunchDebugger::Array> LaunchDebugger::module_descriptions() {
  std::vector<Array> arrays;
  for (const vgpu::TracedBuffer& each : view().buffers)
    if (each.bytes <= kLargestShownWhole && is_module_variable(source_, each.name))
      arrays.push_back(described(each.name, each.address, each.bytes));
  return arrays;
}

// Bytes of shared memory without a write count as zero here; reading them is a hazard.
std::vector<std::byte> LaunchDebugger::content_of(const Array& array) {
  const std::uint64_t offset = array.address - vgpu::kSharedWindow;
  const std::vector<std::byte>& shared = view().shared;
  if (offset >= vgpu::kWindowBytes) return memory(array.address, array.bytes);
  if (offset + array.bytes > shared.size()) return {};
  const auto begin = shared.begin() + static_cast<std::ptrdiff_t>(offset);
  return {begin, begin + static_cast<std::ptrdiff_t>(array.bytes)};
}

LaneVariable LaunchDebugger::rows(const Array& array, const std::vector<std::byte>& content,
                                  const Part& part) {
  const std::uint64_t address = array.address + part.first * array.element;
  ValuePlace place{.kind = ValuePlace::kMemory, .name = part.path, .type = array.type, .address = address};
  place.bytes = array.element;
  if (part.dimension > array.inner.size())
    return shown_element(part.name, place, bits_in(content, part.first * array.element, array.element));
  LaneVariable whole{part.name, "", "", {}};
  std::uint64_t below = 1;
  for (std::size_t i = part.dimension; i < array.inner.size(); ++i) below *= array.inner[i];
  for (std::uint64_t i = 0; (i + 1) * below <= part.elements; ++i)
    whole.parts.push_back(
        rows(array, content,
             {part.dimension + 1, part.first + i * below, below, index_text(i), part.path + index_text(i)}));
  whole.value = shown_parts(whole);
  whole.memory = address;
  place.bytes = part.elements * array.element;
  whole.place = place;
  return whole;
}

std::vector<LaneVariable> LaunchDebugger::shown(const std::vector<Array>& arrays) {
  std::vector<LaneVariable> all;
  for (const Array& array : arrays) {
    const std::uint64_t elements = array.bytes / array.element;
    const std::size_t scalar = elements == 1 && array.inner.empty() ? 1 : 0;
    all.push_back(rows(array, content_of(array), {scalar, 0, elements, array.name, array.name}));
    all.back().type = array.element_name + (scalar ? "" : shape_text(elements, array.inner));
  }
  return all;
}

std::vector<LaneVariable> LaunchDebugger::shared_arrays() { return shown(shared_descriptions()); }

std::vector<LaneVariable> LaunchDebugger::module_variables() { return shown(module_descriptions()); }

ValuePlace LaunchDebugger::array_place(const std::vector<Array>& arrays, const std::string& name) {
  const auto array = std::ranges::find(arrays, name.substr(0, end_of_part(name)), &Array::name);
  if (array == arrays.end()) return {};
  std::uint64_t index = 0;
  std::size_t dimension = 0;
  for (std::size_t at = name.find('['); at != std::string::npos; at = name.find('[', at + 1), ++dimension) {
    if (dimension > 0 && dimension <= array->inner.size()) index *= array->inner[dimension - 1];
    index += std::strtoull(name.c_str() + at + 1, nullptr, 10);
  }
  if (index >= array->bytes / array->element) return {};
  return {.kind = ValuePlace::kMemory,
          .name = name,
          .type = array->type,
          .address = array->address + index * array->element,
          .bytes = array->element};
}

// An element of shared memory, of a variable of the module, or of a buffer to which a variable points.
ValuePlace LaunchDebugger::memory_place(const std::string& name, std::uint32_t lane) {
  if (const ValuePlace shared = array_place(shared_descriptions(), name); shared.kind != ValuePlace::kNone)
    return shared;
  if (ValuePlace element = element_called(name, lane); element.kind != ValuePlace::kNone) return element;
  return array_place(module_descriptions(), name);
}

bool LaunchDebugger::is_constant(std::uint64_t address) {
  return std::ranges::any_of(view().buffers, [&](const vgpu::TracedBuffer& each) {
    return each.is_constant && address - each.address < each.bytes;
  });
}

// ---- global memory -------------------------------------------------------------------------------------

std::vector<std::byte> LaunchDebugger::memory(std::uint64_t address, std::uint64_t bytes) {
  if (!moment() || bytes == 0) return {};
  const std::uint64_t step = walk().trace().steps[moment()->first].number;
  vgpu::TraceRequest wanted{.block = block_, .warp = warp_, .first = step, .most = 1};
  wanted.view_at = step;
  wanted.view_ranges.push_back({address, bytes, lane_});
  vgpu::WarpTrace trace = launch_.trace(wanted);
  return trace.view ? std::move(trace.view->memory.at(0)) : std::vector<std::byte>{};
}

std::vector<LaunchDebugger::Buffer> LaunchDebugger::buffers(std::uint32_t lane) {
  std::vector<Buffer> buffers;
  for (const vgpu::TracedBuffer& each : view().buffers) {
    if (each.is_constant || is_module_variable(source_, each.name)) continue;
    Buffer buffer{each.name, "", each.address};
    buffer.value = *ptx::type_named("b32");
    const auto accessed = accessed_elements(walk().trace(), [&](const vgpu::TracedAccess& access) {
      return access.space == MemorySpace::kGlobal && access.begin == each.address;
    });
    const ElementType* declared = nullptr;
    for (const KnownValue& known : known_here())
      if (known.type.ends_with('*') && (known.lanes >> lane & 1) &&
          (*known.bits)[lane] - each.address < each.bytes)
        declared = element_type_in(known.type);
    if (accessed) buffer.value = accessed->type;
    if (declared) buffer.value = declared->type;
    if (accessed || declared)
      buffer.element = static_cast<std::uint32_t>(declared ? declared->bytes : accessed->bytes);
    buffer.elements = each.bytes / buffer.element;
    buffer.type = std::string(declared ? declared->word : name_in_source(buffer.value)) +
                  shape_text(buffer.elements, {});
    buffers.push_back(std::move(buffer));
  }
  return buffers;
}

std::vector<LaneVariable> LaunchDebugger::elements(const Buffer& buffer, std::uint64_t first,
                                                   std::uint64_t count) {
  first = std::min(first, buffer.elements);
  count = std::min(count, buffer.elements - first);
  const std::vector<std::byte> bytes =
      memory(buffer.address + first * buffer.element, count * buffer.element);
  std::vector<LaneVariable> elements;
  for (std::uint64_t i = 0; i < count; ++i) {
    const ValuePlace place{.kind = ValuePlace::kMemory,
                           .name = buffer.name + index_text(first + i),
                           .type = buffer.value,
                           .address = buffer.address + (first + i) * buffer.element,
                           .bytes = buffer.element};
    elements.push_back(
        shown_element(index_text(first + i), place, bits_in(bytes, i * buffer.element, buffer.element)));
  }
  return elements;
}

// An element of the buffer to which a variable points, such as "in[5]".
ValuePlace LaunchDebugger::element_called(const std::string& name, std::uint32_t lane) {
  const std::size_t bracket = name.find('[');
  if (bracket == std::string::npos || name.find(']') + 1 != name.size()) return {};
  const std::int64_t index = std::strtoll(name.c_str() + bracket + 1, nullptr, 10);
  for (const KnownValue& each : known_here()) {
    const bool is_pointer = each.type.ends_with('*') && each.name == name.substr(0, bracket);
    const ElementType* const type = is_pointer ? element_type_in(each.type) : nullptr;
    if (!type || !(each.lanes >> lane & 1)) continue;
    const std::uint64_t address = (*each.bits)[lane] + static_cast<std::uint64_t>(index) * type->bytes;
    return {.kind = ValuePlace::kMemory,
            .name = name,
            .lane = lane,
            .type = type->type,
            .address = address,
            .bytes = type->bytes};
  }
  return {};
}

std::optional<double> LaunchDebugger::number_at(const ValuePlace& place) {
  if (place.kind != ValuePlace::kMemory) return std::nullopt;
  const std::uint64_t shared = place.address - vgpu::kSharedWindow;
  if (shared < vgpu::kWindowBytes)
    return number_of(place.type, place.bytes, bits_in(view().shared, shared, place.bytes));
  const std::vector<std::byte> bytes = memory(place.address, place.bytes);
  if (bytes.size() < place.bytes) return std::nullopt;
  return number_of(place.type, place.bytes, bits_in(bytes, 0, place.bytes));
}

// ---- changes -------------------------------------------------------------------------------------------

// A variable of the innermost frame.
ValuePlace LaunchDebugger::local_place(const std::string& name, std::uint32_t lane) {
  const std::vector<LaneVariable> all = locals(lane);
  const LaneVariable* const found = found_in(all, name);
  return found ? found->place : ValuePlace{};
}

ValuePlace LaunchDebugger::place_of(const std::string& expression, std::uint32_t lane) {
  if (!is_name_of_value(expression)) return {.name = expression};
  std::string name;  // with its indices computed; the last name that is evaluated is the outermost
  evaluate_in_lane(expression, [&](const std::string& each) {
    name = each;
    return number_called(each, lane, 0);
  });
  if (ValuePlace local = local_place(name, lane); local.kind != ValuePlace::kNone) return local;
  ValuePlace place = memory_place(name, lane);
  if (place.kind == ValuePlace::kNone) place.name = expression;
  return place;
}

std::uint64_t LaunchDebugger::bits_of(const ValuePlace& place, const std::string& value) {
  const auto bits = bits_of_number(place.type, place.bytes, evaluate(value, lane_));
  if (!bits) throw usage_error(msg::debug_value_does_not_fit(value, place.name));
  return *bits;
}

// An inner variable hides an outer one of the same name.
void LaunchDebugger::find_register(const ValuePlace& place, vgpu::TraceChange& change) {
  const vgpu::LocalPlace* found = nullptr;
  for (const vgpu::LocalPlace& each : view().places)
    if (each.call == place.call && before().locals[each.local].name == place.name &&
        (each.lanes >> place.lane & 1))
      found = &each;
  if (!found) throw usage_error(msg::debug_not_changeable(place.name));
  if (found->is_parameter) throw usage_error(msg::debug_parameter_fixed(place.name));
  change.in_register = found->in_register;
  change.address = found->address;
}

void LaunchDebugger::change(const ValuePlace& place, const std::string& value) {
  const Error refusal = usage_error(msg::debug_not_changeable(place.name));
  if (place.kind == ValuePlace::kNone || !moment() || place.bytes > sizeof(std::uint64_t)) throw refusal;
  const std::uint64_t bits = bits_of(place, value);
  vgpu::TraceChange change{.block = block_, .warp = warp_, .lane = place.lane, .address = place.address};
  change.step = walk().trace().steps[moment()->first].number;
  change.call = place.call;
  change.bytes.resize(std::max<std::uint64_t>(place.bytes, 1));
  std::memcpy(change.bytes.data(), &bits, change.bytes.size());
  if (place.kind == ValuePlace::kLocal)
    find_register(place, change), changed_locals_.push_back({place.name, change});
  else if (memory(place.address, place.bytes).size() < place.bytes || is_constant(place.address))
    throw refusal;
  changes_->push_back(std::move(change));
  for (auto& [key, position] : positions_) position.walk.reload();
  forget_position();
}

}  // namespace cudalab::session
