// Copies, and packing of several narrow values into a wide one and back.
#include "vgpu/opcodes/lanes.h"

namespace cudalab::vgpu::CUDALAB_LEVEL {
namespace {

template <class Whole, class Part>
const Inst* pack(const Inst* inst, Warp& warp) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  alignas(64) Whole out[kWarpSize]{};
  for (int part = 0; part < kParts; ++part) {
    const Part* from = at<const Part>(warp, inst->slots[part]);
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane) out[lane] |= Whole{from[lane]} << (8 * sizeof(Part) * part);
  }
  blend(at<Whole>(warp, inst->d), out, warp.exec);
  return inst + 1;
}

template <class Whole, class Part>
const Inst* unpack(const Inst* inst, Warp& warp) {
  constexpr int kParts = sizeof(Whole) / sizeof(Part);
  alignas(64) Whole whole[kWarpSize];  // the results may overwrite the source
  std::memcpy(whole, at<Whole>(warp, inst->a), sizeof whole);
  for (int part = 0; part < kParts; ++part) {
    alignas(64) Part out[kWarpSize];
#pragma omp simd
    for (int lane = 0; lane < kWarpSize; ++lane)
      out[lane] = static_cast<Part>(whole[lane] >> (8 * sizeof(Part) * part));
    blend(at<Part>(warp, inst->slots[part]), out, warp.exec);
  }
  return inst + 1;
}

template <class Whole, class Part>
void packing(OpcodeTable& table) {
  const std::string form =
      ".b" + std::to_string(8 * sizeof(Whole)) + ".v" + std::to_string(sizeof(Whole) / sizeof(Part));
  table.add("pack" + form, Shape::kInternal, kNone, 0, {}, &pack<Whole, Part>);
  table.add("unpack" + form, Shape::kInternal, kNone, 0, {}, &unpack<Whole, Part>);
}

}  // namespace

void add_move_rows(OpcodeTable& table) {
  op<1>(table, kBits, "mov", [](auto a) { return a; });
  packing<std::uint64_t, std::uint32_t>(table);
  packing<std::uint64_t, std::uint16_t>(table);
  packing<std::uint32_t, std::uint16_t>(table);
  packing<std::uint32_t, std::uint8_t>(table);
  packing<std::uint16_t, std::uint8_t>(table);
}

}  // namespace cudalab::vgpu::CUDALAB_LEVEL
