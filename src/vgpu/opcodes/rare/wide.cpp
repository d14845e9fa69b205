// Registers of 128 bits: copied, made of two halves, and taken apart (PTX ISA, "mov").
#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

struct Wide {
  std::uint64_t low, high;
};

const Inst* copy_wide(const Inst* inst, Warp& warp) {
  blend(at<Wide>(warp, inst->d), at<const Wide>(warp, inst->a), warp.exec);
  return inst + 1;
}

const Inst* pack_wide(const Inst* inst, Warp& warp) {
  const auto *low = at<const std::uint64_t>(warp, inst->slots[0]),
             *high = at<const std::uint64_t>(warp, inst->slots[1]);
  Wide out[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) out[lane] = {low[lane], high[lane]};
  blend(at<Wide>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

const Inst* unpack_wide(const Inst* inst, Warp& warp) {
  const auto* whole = at<const Wide>(warp, inst->a);
  std::uint64_t low[kWarpSize], high[kWarpSize];
  for (int lane = 0; lane < kWarpSize; ++lane) low[lane] = whole[lane].low, high[lane] = whole[lane].high;
  blend(at<std::uint64_t>(warp, inst->slots[0]), low, warp.exec);
  blend(at<std::uint64_t>(warp, inst->slots[1]), high, warp.exec);
  return inst + 1;
}

}  // namespace

void add_wide_rows(OpcodeTable& table) {
  table.add("mov.b128", Shape::kInternal, kNone, 0, {}, &copy_wide);
  table.add("pack.b128.v2", Shape::kInternal, kNone, 0, {}, &pack_wide);
  table.add("unpack.b128.v2", Shape::kInternal, kNone, 0, {}, &unpack_wide);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
