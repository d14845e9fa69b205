#include "vgpu/decode/code_buffer.h"

#include "vgpu/decode/reading/opcode_names.h"
#include "vgpu/execute/control.h"

namespace cudalab::vgpu {
namespace {

void append(std::vector<Inst>& to, std::vector<Inst>& from) {
  to.insert(to.end(), from.begin(), from.end());
  from.clear();
}

}  // namespace

const Row& internal_row(const std::string& name) {
  const Row* row = opcode_table().find(name);
  if (!row) throw Unsupported{"opcode `" + name + "` is not supported"};
  return *row;
}

Inst& CodeBuffer::emit(Handler run) {
  Inst& inst = emitted_.emplace_back();
  inst.run = run;
  inst.source = line_;
  return inst;
}

void CodeBuffer::add(const Inst& made, Handler run) {
  Inst& inst = emitted_.emplace_back(made);
  inst.run = run;
  inst.source = line_;
}

void CodeBuffer::follow(const Inst& made, Handler run) {
  Inst& inst = following_.emplace_back(made);
  inst.run = run;
  inst.source = line_;
}

void CodeBuffer::lead() { append(leading_, emitted_); }

std::size_t CodeBuffer::last_emitted() const { return complete_.size() + emitted_.size() - 1; }

void CodeBuffer::flush() {
  append(complete_, leading_);
  append(complete_, emitted_);
  append(complete_, following_);
  note_statement();
}

void CodeBuffer::flush_under(Slot guard, bool negated) {
  append(complete_, leading_);
  note_statement();
  const std::size_t guarded = emitted_.size() + following_.size();
  if (guarded == 0) return;
  Inst& inst = complete_.emplace_back();
  inst.run = control::guard;
  inst.a = guard;
  inst.imm = negated;
  inst.site = static_cast<std::uint32_t>(guarded);
  inst.source = line_;
  flush();
}

void CodeBuffer::discard() { leading_.clear(), emitted_.clear(), following_.clear(); }

}  // namespace cudalab::vgpu
