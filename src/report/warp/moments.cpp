#include "report/warp/moments.h"

namespace cudalab::report {

SourceLine line_in(const vgpu::TracedInstruction& instruction, const std::string& file) {
  if (instruction.where.file == file) return instruction.where;
  for (const SourceLine& line : instruction.inlined_at)
    if (line.file == file) return line;
  return instruction.where;
}

std::vector<Moment> moments_of(const vgpu::WarpTrace& trace, const std::string& file) {
  std::vector<Moment> moments;
  bool ended = true;  // the last of them
  for (std::size_t i = 0; i < trace.steps.size(); ++i) {
    const vgpu::WarpStep& step = trace.steps[i];
    const SourceLine where = line_in(trace.instruction_of(step), file);
    if (ended || step.meets || moments.back().where != where || moments.back().active != step.active)
      moments.push_back({i, i, where, step.active, false, step.meets, false, false});
    Moment& moment = moments.back();
    moment.last = i;
    moment.parts |= step.parts;
    moment.is_barrier |= step.is_barrier;
    moment.has_hazard |= step.hazards > 0;
    ended = step.parts || step.is_barrier;
  }
  return moments;
}

}  // namespace cudalab::report
