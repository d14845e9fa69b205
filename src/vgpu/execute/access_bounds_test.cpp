// Tests that every kind of load and store reaches the first and the last byte of its memory, and none beyond.
#include <gtest/gtest.h>

#include <regex>

#include "core/diagnostics/message_testing.h"
#include "messages/vgpu.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

constexpr int kSpaceBytes = 64;

// A memory of kSpaceBytes bytes, or one byte less; `address` puts its address into %rd1.
struct Space {
  std::string name, modifier, outside, inside, address;
  bool is_writable = true;
};
void PrintTo(const Space& space, std::ostream* out) { *out << space.name; }
const Space kSpaces[] = {
    {"Global", ".global", "", "", "ld.param.u64 %rd1, [p0];"},
    {"GenericGlobal", "", "", "", "ld.param.u64 %rd1, [p0];"},
    {"Shared", ".shared", "", ".shared .align 16 .b8 m[BYTES];", "mov.u64 %rd1, m;"},
    {"GenericShared", "", "", ".shared .align 16 .b8 m[BYTES];",
     "mov.u64 %rd2, m; cvta.shared.u64 %rd1, %rd2;"},
    // The address has no variable here, so the end of all shared memory counts.
    {"SharedByNumber", ".shared", "", ".shared .align 16 .b8 m[BYTES];", "mov.u64 %rd1, 0;"},
    {"GenericSharedByNumber", "", "", ".shared .align 16 .b8 m[BYTES];",
     "mov.u64 %rd2, 0; cvta.shared.u64 %rd1, %rd2;"},
    {"Local", ".local", "", ".local .align 16 .b8 m[BYTES];", "mov.u64 %rd1, m;"},
    {"GenericLocal", "", "", ".local .align 16 .b8 m[BYTES];", "mov.u64 %rd2, m; cvta.local.u64 %rd1, %rd2;"},
    {"Constant", ".const", ".const .align 16 .b8 m[BYTES] = {1};", "", "mov.u64 %rd1, m;", false},
    {"GenericConstant", "", ".const .align 16 .b8 m[BYTES] = {1};", "",
     "mov.u64 %rd2, m; cvta.const.u64 %rd1, %rd2;", false},
};

struct Form {
  std::string type, registers;
  int bytes;
};
const Form kForms[] = {
    {"u8", "%rs1", 1},
    {"u16", "%rs1", 2},
    {"u32", "%r1", 4},
    {"f32", "%f1", 4},
    {"u64", "%rd9", 8},
    {"f64", "%fd1", 8},
    {"v2.u8", "{%rs1, %rs2}", 2},
    {"v4.u8", "{%rs1, %rs2, %rs3, %rs4}", 4},
    {"v2.u16", "{%rs1, %rs2}", 4},
    {"v2.u32", "{%r1, %r2}", 8},
    {"v4.f32", "{%f1, %f2, %f3, %f4}", 16},
    {"v2.u64", "{%rd8, %rd9}", 16},
};

class Bounds : public testing::TestWithParam<Space> {
 protected:
  const Space& space() const { return GetParam(); }

  // Loads and stores at `offset` bytes from the start of a memory: by the last lane of a full warp whose
  // other lanes access the start, or by a single thread. With two rounds, the instruction first accesses the
  // start, so its site caches the memory.
  std::vector<LaunchResult> access(const Form& form, int offset, int memory_bytes, unsigned threads,
                                   int rounds) {
    std::vector<LaunchResult> results;
    for (const bool loads : {true, false}) {
      if (!loads && !space().is_writable) continue;
      KernelHarness harness(kernel(form, loads, memory_bytes));
      harness.check_memory = harness.check_races = false;
      const auto buffer = harness.buffer(std::vector<std::uint8_t>(memory_bytes));
      results.push_back(harness.run({1, 1, 1}, {threads, 1, 1}, buffer, static_cast<std::int64_t>(offset),
                                    threads - 1, rounds));
    }
    return results;
  }
  std::string kernel(const Form& form, bool loads, int memory_bytes) {
    const std::string memory = space().modifier + "." + form.type, place = "[%rd5]";
    const std::string instruction = loads ? "ld" + memory + " " + form.registers + ", " + place
                                          : "st" + memory + " " + place + ", " + form.registers;
    const std::string text = KernelHarness::kernel(space().inside + space().address + R"(
      ld.param.u64 %rd3, [p1];
      ld.param.u32 %r8, [p2];
      ld.param.u32 %r7, [p3];
      mov.u32 %r9, %tid.x;
      setp.eq.u32 %p1, %r8, %r9;
      selp.b64 %rd3, %rd3, 0, %p1;
    AGAIN:
      setp.eq.u32 %p2, %r7, 1;
      selp.b64 %rd4, %rd3, 0, %p2;
      add.s64 %rd5, %rd1, %rd4;
      )" + instruction + R"(;
      sub.u32 %r7, %r7, 1;
      @!%p2 bra AGAIN;)",
                                                   4, space().outside);
    return std::regex_replace(text, std::regex("BYTES"), std::to_string(memory_bytes));
  }
  void expect_hazard(HazardKind kind, const Form& form, int offset, int memory_bytes = kSpaceBytes) {
    for (const auto& [threads, rounds] : {std::pair(1u, 1), {1u, 2}, {32u, 1}, {32u, 2}})
      for (const LaunchResult& result : access(form, offset, memory_bytes, threads, rounds)) {
        ASSERT_EQ(result.hazards.size(), 1u) << form.type << ": " << threads << " threads, round " << rounds;
        EXPECT_EQ(result.hazards[0].kind, kind) << form.type;
        EXPECT_EQ(result.hazards[0].thread.x, threads - 1) << form.type;
        EXPECT_FALSE(result.completed) << form.type;
      }
  }
};

TEST_P(Bounds, TheFirstAndTheLastElementAreInside) {
  for (const Form& form : kForms)
    for (const int offset : {0, kSpaceBytes - form.bytes})
      for (const auto& [threads, rounds] : {std::pair(1u, 1), {1u, 2}, {32u, 1}, {32u, 2}})
        for (const LaunchResult& result : access(form, offset, kSpaceBytes, threads, rounds))
          EXPECT_TRUE(result.completed && result.hazards.empty()) << form.type << " at " << offset;
}

TEST_P(Bounds, TheElementBehindTheEndIsOutside) {
  for (const Form& form : kForms) expect_hazard(HazardKind::kOutOfBounds, form, kSpaceBytes);
}

TEST_P(Bounds, TheElementBeforeTheBeginningIsOutside) {
  for (const Form& form : kForms) expect_hazard(HazardKind::kOutOfBounds, form, -form.bytes);
}

TEST_P(Bounds, AnElementWhoseLastByteIsBehindTheEndIsOutside) {
  if (space().name.ends_with("Local")) return;  // local memory per thread is a multiple of 16 bytes
  for (const Form& form : kForms)
    expect_hazard(HazardKind::kOutOfBounds, form, kSpaceBytes - form.bytes, kSpaceBytes - 1);
}

TEST_P(Bounds, AnElementOneByteOnIsMisaligned) {
  for (const Form& form : kForms)
    if (form.bytes > 1) expect_hazard(HazardKind::kMisaligned, form, 1);
}

INSTANTIATE_TEST_SUITE_P(All, Bounds, testing::ValuesIn(kSpaces),
                         [](const auto& test) { return test.param.name; });

// ---- atomics and parameters --------------------------------------------------------------------------
// Each of `lanes` lanes adds to its own word; there are two words.
LaunchResult atomics_on_two_words(const std::string& space, const std::string& declaration,
                                  const std::string& address, unsigned lanes) {
  KernelHarness harness(KernelHarness::kernel(declaration + address +
                                              "mov.u32 %r1, %tid.x;\nmul.wide.u32 %rd2, %r1, 4;\n"
                                              "add.s64 %rd3, %rd1, %rd2;\natom" +
                                              space + ".add.u32 %r2, [%rd3], 1;"));
  harness.check_memory = false;
  return harness.run({1, 1, 1}, {lanes, 1, 1}, harness.buffer(std::vector<std::uint32_t>(2)));
}

TEST(AtomicBounds, TheLastWordIsInsideAndTheNextIsNot) {
  const std::string shared = ".shared .align 4 .b8 m[8];";
  for (const auto& [space, declaration, address] :
       {std::tuple(".global", std::string(), "ld.param.u64 %rd1, [p0];"),
        std::tuple("", std::string(), "ld.param.u64 %rd1, [p0];"),
        std::tuple(".shared", shared, "mov.u64 %rd1, m;"), std::tuple(".shared", shared, "mov.u64 %rd1, 0;"),
        std::tuple("", shared, "mov.u64 %rd4, m; cvta.shared.u64 %rd1, %rd4;")}) {
    EXPECT_TRUE(atomics_on_two_words(space, declaration, address, 2).completed) << space;
    const LaunchResult beyond = atomics_on_two_words(space, declaration, address, 3);
    ASSERT_EQ(beyond.hazards.size(), 1u) << space;
    EXPECT_EQ(beyond.hazards[0].kind, HazardKind::kOutOfBounds);
    EXPECT_EQ(beyond.hazards[0].thread.x, 2u);
  }
}

// Two parameters of 8 bytes, accessed through a pointer.
TEST(ParameterBounds, TheLastByteIsInsideAndTheNextIsNot) {
  for (const auto& [offset, is_inside] : {std::pair(0, true), {12, true}, {16, false}, {-4, false}}) {
    KernelHarness harness(
        KernelHarness::kernel("mov.u64 %rd1, p0;\nld.param.u32 %r1, [%rd1+" + std::to_string(offset) + "];"));
    EXPECT_EQ(harness.run({1, 1, 1}, {1, 1, 1}).completed, is_inside) << offset;
  }
}

TEST(ConstantMemory, IsNotWrittenThroughAGenericAddress) {
  for (const char* store : {"st.u32 [%rd1], 5;", "st.u32 [%rd2], 5;", "atom.add.u32 %r1, [%rd1], 5;"}) {
    KernelHarness harness(KernelHarness::kernel(
        std::string("mov.u64 %rd3, m;\ncvta.const.u64 %rd1, %rd3;\nmov.u32 %r1, %tid.x;\n"
                    "mul.wide.u32 %rd2, %r1, 4;\nadd.s64 %rd2, %rd2, %rd1;\n") +
            store,
        0, ".const .align 4 .b8 m[128] = {1};"));
    const LaunchResult result = harness.run({1, 1, 1}, {32, 1, 1});
    ASSERT_EQ(result.hazards.size(), 1u) << store;
    EXPECT_EQ(result.hazards[0].kind, HazardKind::kOutOfBounds);
    EXPECT_THAT(result.hazards[0].what, IsMessage("access_constant_written"));
  }
}

// ---- messages ----------------------------------------------------------------------------------------
TEST(BoundsMessage, SaysHowFarBehindTheEndOrBeforeTheStart) {
  const Message writes = msg::verb_writes();
  for (const auto& [offset, what] :
       {std::pair<int, Message>{16, msg::access_one_past_end(writes, cudalab::Element{"data", {4}},
                                                             Address{0x7f0000000010}, 4, 4u)},
        {28, msg::access_past_end(writes, cudalab::Element{"data", {7}}, Address{0x7f000000001c}, 4, 4, 4u)},
        {-8, msg::access_before_start(writes, cudalab::Element{"data", {-2}}, Address{0x7efffffffff8}, 2)}}) {
    KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nst.global.u32 [%rd1+" +
                                                std::to_string(offset) + "], 1;"));
    const LaunchResult result =
        harness.run({1, 1, 1}, {1, 1, 1}, harness.buffer(std::vector<std::uint32_t>(4)));
    ASSERT_EQ(result.hazards.size(), 1u);
    EXPECT_EQ(with_ids(result.hazards[0].what), with_ids(what));
    EXPECT_EQ(result.hazards[0].buffer, "data");
  }
}

// An index that is megabytes too large still hits no other buffer.
TEST(BoundsMessage, NamesTheBufferAlsoFarBehindItsEnd) {
  KernelHarness harness(KernelHarness::kernel("ld.param.u64 %rd1, [p0];\nst.global.u32 [%rd1+8000000], 1;"));
  const auto first = harness.buffer(std::vector<std::uint32_t>(4), "first");
  harness.buffer(std::vector<std::uint32_t>(4'000'000), "second");
  const LaunchResult result = harness.run({1, 1, 1}, {1, 1, 1}, first);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].buffer, "first");
}

// ---- arrays of structures ----------------------------------------------------------------------------

// Sixteen threads write the last member of structures of 48 bytes, of which there are fifteen.
Message beyond_structures(const std::string& symbol, unsigned threads) {
  const std::string text = KernelHarness::kernel(R"(
      ld.param.u64 %rd1, [p0];
      mov.u32 %r1, %tid.x;
      mad.wide.u32 %rd2, %r1, 48, %rd1;
      add.u64 %rd2, %rd2, THREADS;
      st.global.u32 [%rd2+44], %r1;)",
                                                 1);
  const std::string at = std::to_string((16 - threads) * 48);
  KernelHarness harness(std::regex_replace(std::regex_replace(text, std::regex("test\\("), symbol + "("),
                                           std::regex("THREADS"), at));
  const auto buffer = harness.buffer(std::vector<std::uint8_t>(15 * 48));
  const LaunchResult result = harness.run({1, 1, 1}, {threads, 1, 1}, buffer);
  return result.hazards.empty() ? Message() : result.hazards[0].what;
}

TEST(Structures, AreCountedWholeWhenTheirArrayIsExceeded) {
  EXPECT_THAT(beyond_structures("_Z1kP1S", 16),
              AllOf(IsMessage("access_one_past_end"), HasArgument("count", 15), HasArgument("bytes", 48)));
}

TEST(Structures, OfUnknownSizeAreCountedInBytes) {
  EXPECT_THAT(beyond_structures("_Z1kP1S", 1), IsMessage("access_past_end_bytes"));
}

TEST(Structures, AreNotSeenInArraysOfNumbers) {
  EXPECT_THAT(beyond_structures("_Z1kPi", 16), AllOf(IsMessage("access_past_end"), HasArgument("bytes", 4)));
}

}  // namespace
}  // namespace cudalab::vgpu
