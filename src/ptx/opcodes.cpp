#include "ptx/opcodes.h"

#include <array>
#include <cstddef>

namespace cudalab::ptx {
namespace {

// ---- what rows have in common ------------------------------------------------------------------------
constexpr OpcodeFacts computes(std::string_view name) { return {.name = name}; }
constexpr OpcodeFacts in_any_order(OpcodeFacts facts) {
  facts.has_free_order = true;
  return facts;
}
constexpr OpcodeFacts unmeasured(OpcodeFacts facts) {
  facts.cost = Cost::kUnmeasured;
  return facts;
}
constexpr OpcodeFacts linear(std::string_view name, Linear how) { return {.name = name, .linear = how}; }
constexpr OpcodeFacts combines_bits(std::string_view name) { return {.name = name, .bits = Bits::kSome}; }

constexpr OpcodeFacts accesses(std::string_view name, Access access, Cost cost) {
  OpcodeFacts facts{.name = name, .access = access, .cost = cost, .is_pure = false};
  facts.has_result = access == Access::kLoad || access == Access::kAtomic || access == Access::kTexel;
  facts.is_observable = facts.may_write_memory();
  if (access == Access::kAtomic) facts.lanes = Lanes::kDifferent;
  return facts;
}
// Undefined values are not followed through the instruction.
constexpr OpcodeFacts unseen(OpcodeFacts facts) {
  facts.bits = Bits::kUnseen;
  return facts;
}
// The lanes that take part wait for each other.
constexpr OpcodeFacts together(OpcodeFacts facts) {
  facts.flow = Flow::kOnTogether;
  return facts;
}
constexpr OpcodeFacts exchanges(std::string_view name, Lanes lanes, Cost cost = Cost::kOfRow) {
  return {.name = name,
          .flow = Flow::kOnTogether,
          .lanes = lanes,
          .bits = Bits::kUnseen,
          .cost = cost,
          .is_pure = false};
}
// Copies between memories, their groups and barriers in memory.
constexpr OpcodeFacts in_background(std::string_view name, bool has_result = false,
                                    Access access = Access::kNone) {
  return {.name = name,
          .has_result = has_result,
          .access = access,
          .lanes = Lanes::kDifferent,
          .bits = Bits::kUnseen,
          .cost = Cost::kUnmeasured,
          .is_pure = false,
          .orders_memory = true,
          .is_observable = true};
}
constexpr OpcodeFacts orders(std::string_view name) {
  return {.name = name, .has_result = false, .is_pure = false, .orders_memory = true};
}
constexpr OpcodeFacts hint(std::string_view name) {
  return {.name = name, .has_result = false, .cost = Cost::kUnmeasured, .is_pure = false};
}
constexpr OpcodeFacts jumps(std::string_view name, Flow flow) {
  return {.name = name,
          .has_result = false,
          .flow = flow,
          .lanes = Lanes::kDifferent,
          .bits = Bits::kUnseen,
          .is_pure = false,
          .orders_memory = true,
          .is_observable = flow == Flow::kBack};
}
constexpr OpcodeFacts observed(OpcodeFacts facts) {
  facts.is_observable = true;
  return facts;
}
constexpr OpcodeFacts barrier(std::string_view name, bool has_result = false) {
  return {.name = name,
          .has_result = has_result,
          .flow = Flow::kOnInNextBlock,
          .lanes = Lanes::kDifferent,
          .bits = Bits::kUnseen,
          .is_pure = false,
          .orders_memory = true,
          .is_observable = true};
}

constexpr auto kOpcodes = std::to_array<OpcodeFacts>({
    // ---- arithmetic: a result for each lane, from its own operands
    in_any_order(computes("abs")),
    unmeasured(computes("bmsk")),
    computes("brev"),
    computes("bfind"),
    computes("clz"),
    unmeasured(computes("cnot")),
    computes("copysign"),
    in_any_order(computes("cos")),
    in_any_order(computes("div")),
    unmeasured(computes("dp2a")),
    computes("dp4a"),
    in_any_order(computes("ex2")),
    in_any_order(computes("fma")),
    unmeasured(computes("fns")),
    in_any_order(computes("lg2")),
    in_any_order(computes("max")),
    in_any_order(computes("min")),
    unmeasured(computes("mul24")),
    in_any_order(computes("neg")),
    computes("not"),
    computes("popc"),
    in_any_order(computes("rcp")),
    computes("rem"),
    in_any_order(computes("rsqrt")),
    unmeasured(computes("sad")),
    computes("selp"),
    in_any_order(computes("set")),
    in_any_order(computes("setp")),
    computes("shr"),
    in_any_order(computes("sin")),
    in_any_order(computes("sqrt")),
    unmeasured(computes("addc")),
    unmeasured(computes("madc")),
    unmeasured(computes("subc")),
    unmeasured(computes("szext")),
    in_any_order(computes("tanh")),
    computes("testp"),
    computes("xor"),
    in_any_order(linear("add", Linear::kSum)),
    in_any_order(linear("sub", Linear::kDifference)),
    in_any_order(linear("mul", Linear::kProduct)),
    in_any_order(linear("mad", Linear::kProductAndSum)),
    unmeasured(computes("mad24")),
    linear("shl", Linear::kShiftLeft),
    linear("mov", Linear::kCopy),
    {.name = "cvt", .linear = Linear::kCopy, .cost = Cost::kConversion, .has_free_order = true},
    linear("cvta", Linear::kCopy),
    combines_bits("and"),
    combines_bits("or"),
    combines_bits("bfi"),
    combines_bits("bfe"),
    combines_bits("prmt"),
    combines_bits("lop3"),
    combines_bits("shf"),
    combines_bits("slct"),
    unmeasured(computes("vabsdiff")),
    unmeasured(computes("vabsdiff2")),
    unmeasured(computes("vabsdiff4")),
    unmeasured(computes("vadd")),
    unmeasured(computes("vadd2")),
    unmeasured(computes("vadd4")),
    unmeasured(computes("vavrg2")),
    unmeasured(computes("vavrg4")),
    unmeasured(computes("vmad")),
    unmeasured(computes("vmax")),
    unmeasured(computes("vmax2")),
    unmeasured(computes("vmax4")),
    unmeasured(computes("vmin")),
    unmeasured(computes("vmin2")),
    unmeasured(computes("vmin4")),
    unmeasured(computes("vset")),
    unmeasured(computes("vset2")),
    unmeasured(computes("vset4")),
    unmeasured(computes("vshl")),
    unmeasured(computes("vshr")),
    unmeasured(computes("vsub")),
    unmeasured(computes("vsub2")),
    unmeasured(computes("vsub4")),
    // ---- addresses
    unmeasured(computes("isspacep")),
    unmeasured(computes("mapa")),
    unmeasured(computes("getctarank")),
    unmeasured(computes("createpolicy")),
    {.name = "alloca", .lanes = Lanes::kDifferent, .cost = Cost::kUnmeasured, .is_pure = false},
    {.name = "stacksave", .lanes = Lanes::kDifferent, .cost = Cost::kUnmeasured, .is_pure = false},
    {.name = "stackrestore", .has_result = false, .cost = Cost::kUnmeasured, .is_pure = false},
    // ---- memory
    in_any_order(accesses("ld", Access::kLoad, Cost::kAccess)),
    accesses("ldu", Access::kLoad, Cost::kAccess),
    in_any_order(accesses("st", Access::kStore, Cost::kAccess)),
    accesses("st.async", Access::kStore, Cost::kAccess),
    accesses("atom", Access::kAtomic, Cost::kAtomic),
    accesses("red", Access::kReduction, Cost::kAtomic),
    accesses("red.async", Access::kReduction, Cost::kAtomic),
    unseen(accesses("tex", Access::kTexel, Cost::kTexture)),
    unseen(accesses("tld4", Access::kTexel, Cost::kTexture)),
    unseen(accesses("suld", Access::kTexel, Cost::kUnmeasured)),
    unseen(accesses("sust", Access::kWriteTexel, Cost::kUnmeasured)),
    unseen(unmeasured(computes("txq"))),
    unseen(unmeasured(computes("suq"))),
    in_background("cp.async", false, Access::kCopy),
    in_background("cp.async.commit_group"),
    in_background("cp.async.wait_group"),
    in_background("cp.async.wait_all"),
    in_background("cp.async.mbarrier"),
    in_background("cp.async.bulk", false, Access::kCopy),
    in_background("cp.async.bulk.tensor", false, Access::kCopy),
    in_background("cp.async.bulk.commit_group"),
    in_background("cp.async.bulk.wait_group"),
    in_background("cp.async.bulk.prefetch"),
    in_background("cp.reduce.async", false, Access::kCopy),
    in_background("cp.reduce.async.bulk.tensor", false, Access::kCopy),
    in_background("mbarrier", true),
    in_background("mbarrier.init"),
    in_background("mbarrier.inval"),
    orders("membar"),
    orders("fence"),
    hint("discard"),
    hint("applypriority"),
    hint("prefetch"),
    hint("prefetchu"),
    hint("pmevent"),
    hint("nanosleep"),
    hint("griddepcontrol"),
    hint("setmaxnreg"),
    // ---- lanes of a warp
    {.name = "activemask", .lanes = Lanes::kEqual, .bits = Bits::kUnseen, .is_pure = false},
    {.name = "shfl",
     .flow = Flow::kOnTogether,
     .lanes = Lanes::kShuffled,
     .cost = Cost::kShuffle,
     .is_pure = false,
     .has_free_order = true},
    // Not of PTX: ptx/silence.h inserts it.
    {.name = "tap",
     .lanes = Lanes::kDifferent,
     .bits = Bits::kUnseen,
     .cost = Cost::kUnmeasured,
     .is_pure = false},
    exchanges("vote", Lanes::kEqual),
    in_any_order(exchanges("match", Lanes::kDifferent)),
    in_any_order(exchanges("redux", Lanes::kEqual)),
    exchanges("elect", Lanes::kDifferent, Cost::kUnmeasured),
    in_any_order(exchanges("mma", Lanes::kDifferent, Cost::kMatrix)),
    exchanges("wmma.mma", Lanes::kDifferent, Cost::kMatrix),
    unseen(together(accesses("wmma.load", Access::kLoad, Cost::kMatrix))),
    unseen(together(accesses("wmma.store", Access::kStore, Cost::kMatrix))),
    unseen(together(in_any_order(accesses("ldmatrix", Access::kLoad, Cost::kMatrixMove)))),
    unseen(together(in_any_order(accesses("stmatrix", Access::kStore, Cost::kMatrixMove)))),
    in_any_order(exchanges("movmatrix", Lanes::kDifferent, Cost::kUnmeasured)),
    exchanges("wgmma", Lanes::kDifferent, Cost::kUnmeasured),
    // ---- threads of a block
    barrier("bar.sync"),
    barrier("bar.cta.sync"),
    barrier("barrier.sync"),
    barrier("barrier.cta.sync"),
    barrier("bar.arrive"),
    barrier("bar.cta.arrive"),
    barrier("barrier.arrive"),
    barrier("barrier.cta.arrive"),
    barrier("bar.red", true),
    barrier("bar.cta.red", true),
    barrier("barrier.red", true),
    barrier("barrier.cta.red", true),
    barrier("bar.warp"),
    barrier("barrier.cluster.wait"),
    {.name = "barrier.cluster.arrive",
     .has_result = false,
     .lanes = Lanes::kDifferent,
     .bits = Bits::kUnseen,
     .is_pure = false,
     .orders_memory = true,
     .is_observable = true},
    // ---- control flow
    jumps("bra", Flow::kToLabels),
    jumps("brx", Flow::kToLabels),
    jumps("call", Flow::kBack),
    jumps("ret", Flow::kNowhere),
    jumps("exit", Flow::kNowhere),
    observed(unmeasured(jumps("trap", Flow::kNowhere))),
});

}  // namespace

std::span<const OpcodeFacts> all_opcodes() { return kOpcodes; }

const OpcodeFacts& facts_of(std::span<const Word> words) {
  static const OpcodeIndex<OpcodeFacts> index(kOpcodes, &OpcodeFacts::name);
  const OpcodeFacts* longest = &kUnknownOpcode;
  std::size_t most = 0;
  index.for_each(words, [&](const OpcodeFacts& row, std::size_t size) {
    if (size > most) longest = &row, most = size;
  });
  return *longest;
}

}  // namespace cudalab::ptx
