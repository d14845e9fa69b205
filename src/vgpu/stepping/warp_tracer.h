// Records what a watched warp does. One instruction of the text may be several decoded instructions: a step
// begins with the first of them and ends with the last.
#pragma once

#include <cstdint>
#include <map>
#include <optional>

#include "vgpu/block.h"
#include "vgpu/stepping/traced_code.h"
#include "vgpu/stepping/variable_watch.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {

class WarpTracer final : public WarpWatch {
 public:
  // `text`: the text of the launched module.
  WarpTracer(const ptx::Module& text, const TraceRequest& wanted);

  bool watches(std::uint32_t warp) const override;
  void before(const Inst* inst, Warp& warp) override;
  void after(const Inst* inst, Warp& warp, const Inst* next) override;
  void fault(Warp& warp, const Hazard& hazard) override;

  WarpTrace take();

 private:
  // The current step.
  struct Open {
    const FunctionCode* function = nullptr;  // nullptr: no step is open
    std::uint32_t statement = 0;
    int frame = 0;
    std::uint32_t entry = 0;
    const Inst* next = nullptr;  // the decoded instruction that would continue it
    std::uint64_t hazards = 0;   // occurrences in the block when it began
    std::uint64_t divergent = 0;
    WarpStep step;
    std::vector<TracedAccess> accesses;
  };
  // Where another warp is, which is watched because it is changed.
  struct Other {
    Open open;
    std::uint64_t steps = 0;
  };
  static bool goes_on(const Open& open, const FunctionCode& function, std::uint32_t statement,
                      const Inst* inst, const Warp& warp);
  void follow_other(const Inst* inst, Warp& warp);
  enum Kind : std::uint8_t { kPrivate = 1, kCommon = 2 };  // of a change: to one lane, or to the block
  void change(Warp& warp, std::uint64_t step, unsigned kinds);
  void view(const Warp& warp);
  bool is_kept() const { return open_.step.number >= wanted_.first; }
  void open(const FunctionCode& function, std::uint32_t statement, Warp& warp);
  void close(Warp& warp);
  void keep_values(const Warp& warp);
  void keep_new_hazards(const Warp& warp);
  void keep_state(const Warp& warp);
  void keep_shared(const Warp& warp);
  void keep_accesses();
  void watch_variables(const Warp& warp);

  TraceRequest wanted_;
  TracedCode code_;
  std::optional<VariableWatch> variables_;
  WarpTrace trace_;
  Open open_;
  std::map<std::uint32_t, Other> others_;
  std::uint64_t steps_ = 0;
  std::uint32_t last_active_ = 0;
  bool others_ran_ = true;  // since the state of the block's warps was recorded
};

}  // namespace cudalab::vgpu
