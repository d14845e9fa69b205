// Tells each instrument the events that it wants.
#include "vgpu/instrumentation.h"

#include "vgpu/checks/block_checks.h"
#include "vgpu/counters/recorder.h"
#include "vgpu/time/access_trace.h"
#include "vgpu/warp_trace.h"

namespace cudalab::vgpu {
namespace {

template <Instrument Which, class Client, class Event>
[[gnu::always_inline]] inline void tell_one(Client* client, const Event& event) {
  constexpr bool kHears = requires { client->on(event); };
  static_assert(kHears == ((kFor<Event> & Which) != 0), "on(const Event&) and kFor differ");
  if constexpr (kHears)
    if (client) client->on(event);
}

}  // namespace

template <class Event>
[[gnu::used]] void Instruments::tell(const Event& event) const {
  tell_one<kRecorder>(recorder, event);
  tell_one<kChecks>(checks, event);
  tell_one<kTrace>(trace, event);
  tell_one<kWatch>(watch, event);
}

// So that tell exists for all of these.
template <class... Event>
void tell_all(const Instruments& instruments, const Event&... event) {
  (instruments.tell(event), ...);
}
template void tell_all(const Instruments&, const BlockStart&, const BlockEnd&, const InstructionStart&,
                       const InstructionEnd&, const InstructionFault&, const WholeAccess&, const SplitAccess&,
                       const LaneAccess&, const BulkAccess&, const TexelReads&, const BarrierArrival&,
                       const BarrierOpening&, const Fence&, const ClusterArrival&, const ClusterOpening&,
                       const ClusterPass&, const MbarrierUse&, const MbarrierPhase&, const CopyIssue&,
                       const BulkIssue&, const BulkReadEnd&, const BulkLanding&, const ValueFlow&,
                       const LaneAnswers&, const PathStart&, const FunctionEntry&, const KernelLaunch&,
                       const AwaitedResult&);

}  // namespace cudalab::vgpu
