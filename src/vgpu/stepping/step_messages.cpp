#include "vgpu/stepping/step_messages.h"

#include <algorithm>

#include "core/programs/field_stream.h"

namespace cudalab::vgpu {

template <class A>
void fields(A& a, TracedValue& x) {
  a(x.name, x.type, x.bytes, x.is_number);
}
template <class A>
void fields(A& a, TracedInstruction& x) {
  a(x.text, x.function, x.where, x.inlined_at, x.values, x.statement);
}
template <class A>
void fields(A& a, TracedAccess& x) {
  a(x.space, x.kind, x.bytes, x.elements, x.lanes, x.address, x.buffer, x.begin, x.transactions, x.fewest);
}
template <class A>
void fields(A& a, TracedHazard& x) {
  a(x.kind, x.what, x.fix);
}
template <class A>
void fields(A& a, WarpState& x) {
  a(x.kind, x.barrier, x.lanes);
}
template <class A>
void fields(A& a, TracedLocal& x) {
  a(x.name, x.type, x.value, x.variable, x.is_argument);
}
template <class A>
void fields(A& a, LocalChange& x) {
  a(x.local, x.call, x.lanes, x.value);
}
template <class A>
void fields(A& a, WarpStep& x) {
  a(x.number, x.instruction, x.active, x.executing, x.first_value, x.first_access, x.accesses, x.first_hazard,
    x.hazards, x.first_change, x.changes, x.call, x.state, x.parts, x.meets, x.is_barrier);
}
template <class A>
void fields(A& a, TracedVariable& x) {
  a(x.name, x.offset, x.bytes);
}
template <class A>
void fields(A& a, LocalPlace& x) {
  a(x.local, x.call, x.lanes, x.in_register, x.address, x.is_parameter);
}
template <class A>
void fields(A& a, TracedBuffer& x) {
  a(x.name, x.address, x.bytes, x.is_constant);
}
template <class A>
void fields(A& a, WarpView& x) {
  a(x.call, x.shared, x.buffers, x.memory, x.places);
}
template <class A>
void fields(A& a, ListedInstruction& x) {
  a(x.code, x.label);
}
template <class A>
void fields(A& a, WarpTrace& x) {
  a(x.block, x.warp, x.instructions, x.steps, x.values, x.accesses, x.hazards, x.locals, x.changes, x.states,
    x.ended, x.stopped_by, x.shared, x.shared_variables, x.view, x.listing);
}
template <class A>
void fields(A& a, TraceChange& x) {
  a(x.block, x.warp, x.step, x.lane, x.in_register, x.call, x.address, x.bytes);
}
template <class A>
void fields(A& a, MemoryRange& x) {
  a(x.address, x.bytes, x.lane);
}
template <class A>
void fields(A& a, TraceRequest& x) {
  a(x.block, x.warp, x.first, x.most, x.changes, x.view_at, x.view_ranges, x.lists_module);
}
template <class A>
void fields(A& a, StepStop& x) {
  a(x.kernel, x.file, x.number, x.spec, x.error, x.why, x.call, x.object, x.offsets);
}
template <class A>
void fields(A& a, StepUntil& x) {
  a(x.launch, x.at_errors);
}
template <class A>
void fields(A& a, StepQuestion& x) {
  a(x.kind, x.trace, x.until);
}
template <class A>
void fields(A& a, StepAnswer& x) {
  a(x.error, x.trace, x.result.completed, x.result.hazards);
}

namespace {

template <class Message>
std::string written(const Message& message) {
  FieldWriter writer;
  writer(message);
  return writer.take();
}

template <class Message>
Message read(std::string_view bytes) {
  FieldReader reader(bytes);
  Message message;
  reader(message);
  if (!reader.is_at_end()) throw bad_record();
  return message;
}

// "mm" of "void mm<float, 16>".
std::string_view name_alone(std::string_view kernel) {
  kernel = kernel.substr(0, kernel.find('<'));
  return kernel.substr(kernel.rfind(' ') + 1);
}

}  // namespace

std::string bytes_of(const StepStop& stop) { return written(stop); }
std::string bytes_of(const StepQuestion& question) { return written(question); }
std::string bytes_of(const StepAnswer& answer) { return written(answer); }
StepStop stop_in(std::string_view bytes) { return read<StepStop>(bytes); }
StepQuestion question_in(std::string_view bytes) { return read<StepQuestion>(bytes); }
StepAnswer answer_in(std::string_view bytes) { return read<StepAnswer>(bytes); }

bool is_wanted(const std::string& wanted, std::uint64_t number, const std::string& kernel) {
  if (wanted == kAnyLaunch) return true;
  const bool is_number = std::ranges::all_of(wanted, [](char c) { return c >= '0' && c <= '9'; });
  return is_number ? wanted == std::to_string(number) : wanted == kernel || wanted == name_alone(kernel);
}

}  // namespace cudalab::vgpu
