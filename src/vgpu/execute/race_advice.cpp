// Looks in the code for barriers between the two accesses of a race.
#include "vgpu/execute/race_advice.h"

#include <algorithm>
#include <string_view>

#include "messages/vgpu.h"
#include "vgpu/counters/access_costs.h"
#include "vgpu/execute/control.h"
#include "vgpu/execute/warp_wide.h"

namespace cudalab::vgpu {
namespace {

bool is_block_barrier(const Inst& inst) {
  return inst.run == control::barrier || inst.run == control::barrier_reduce;
}

// The accesses of one kind in one line.
struct LineOfAccess {
  SourceLine where;
  bool writes;

  bool has(const Inst& inst, const Program& program) const {
    if (inst.site >= program.sites.size() || program.sites[inst.site].source != inst.source ||
        !(program.lines[inst.source] == where))
      return false;
    return (class_of(program.sites[inst.site].kind).access != AccessKind::kLoad) == writes;
  }
};

// Whether a thread can get from an access of one line to one of the other without a block barrier.
bool can_follow(const LineOfAccess& first, const LineOfAccess& next, const Program& program) {
  for (const auto& function : program.functions) {
    const std::vector<Inst>& code = function->code;
    if (std::ranges::none_of(code, [&](const Inst& inst) { return first.has(inst, program); })) continue;
    const Reach reach(
        code, program, [&](const Inst& inst) { return next.has(inst, program); }, is_block_barrier);
    for (const Inst& inst : code)
      if (first.has(inst, program) && reach.from(&inst + 1)) return true;
  }
  return false;
}

bool has_id(const Hazard& hazard, std::string_view argument, std::string_view id) {
  const Argument* found = hazard.what.argument(argument);
  const auto* message = found ? found->as<Message>() : nullptr;
  return message && message->id() == id;
}

void consider_barriers(Hazard& hazard, const Program& program) {
  if (hazard.what.id() != "race_no_barrier" || !hazard.other) return;
  const bool reads = has_id(hazard, "access", "verb_reads"), writes = has_id(hazard, "access", "verb_writes");
  const bool was_read = has_id(hazard, "earlier", "earlier_read"),
             was_write = has_id(hazard, "earlier", "earlier_wrote");
  if (!((reads && was_write) || (writes && was_read))) return;
  const LineOfAccess write{writes ? hazard.where : *hazard.other, true},
      read{reads ? hazard.where : *hazard.other, false};
  if (write.where.line == 0 || read.where.line == 0 || can_follow(write, read, program)) return;
  if (write.where == read.where) {
    hazard.what = msg::race_one_statement(*hazard.what.argument("access"), *hazard.what.argument("element"),
                                          *hazard.what.argument("address"), *hazard.what.argument("other"),
                                          *hazard.what.argument("earlier"));
    hazard.fix = msg::advice_one_statement();
  } else if (can_follow(read, write, program)) {
    hazard.fix = msg::advice_syncthreads_after_read(line_argument(read.where, write.where),
                                                    line_argument(write.where, read.where));
  }
}

}  // namespace

void consider_barriers(std::vector<Hazard>& hazards, const Program& program) {
  for (Hazard& hazard : hazards) consider_barriers(hazard, program);
}

}  // namespace cudalab::vgpu
