#include "vgpu/builtins/builtins.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/diagnostics/message_testing.h"
#include "vgpu/block.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// ---- formats -----------------------------------------------------------------------------------------
// Arguments as laid out by a kernel.
class Layout {
 public:
  Layout& value(std::int32_t v) { return add(&v, 4); }
  Layout& value(std::int64_t v) { return add(&v, 8); }
  Layout& value(double v) { return add(&v, 8); }
  std::string format(std::string_view text) const {
    int conversions = 0;
    const PrintfArguments arguments{
        [this](std::size_t offset, std::size_t bytes) {
          std::uint64_t value = 0;
          if (offset + bytes <= bytes_.size()) std::memcpy(&value, bytes_.data() + offset, bytes);
          return value;
        },
        [](std::uint64_t address) { return address ? std::string("text") : "(null)"; }};
    const std::string printed = format_printf(text, arguments, conversions);
    return printed + "#" + std::to_string(conversions);
  }

 private:
  Layout& add(const void* from, std::size_t bytes) {
    bytes_.resize((bytes_.size() + bytes - 1) / bytes * bytes);
    const auto* first = static_cast<const char*>(from);
    bytes_.insert(bytes_.end(), first, first + bytes);
    return *this;
  }
  std::vector<char> bytes_;
};

TEST(Printf, IntegersOfEveryWidth) {
  EXPECT_EQ(Layout().value(-1).value(-1).value(255).value(8).format("%d %u %x %o"), "-1 4294967295 ff 10#4");
  EXPECT_EQ(Layout().value(std::int64_t{-5}).value(std::int64_t{1} << 40).format("%ld|%llx"),
            "-5|10000000000#2");
  EXPECT_EQ(Layout().value(0x12345).value(0x1ff).format("%hx %hhd"), "2345 -1#2");
  EXPECT_EQ(Layout().value(7).value(std::int64_t{9}).format("%d %zu"), "7 9#2");
}
TEST(Printf, FloatsStringsAndCharacters) {
  EXPECT_EQ(Layout().value(2.25).value(1e10).value(0.5).format("%05.1f %e %g"), "002.2 1.000000e+10 0.5#3");
  EXPECT_EQ(Layout().value(std::int64_t{4}).value(65).value(std::int64_t{0}).format("%6s|%c|%s"),
            "  text|A|(null)#3");
}
TEST(Printf, WidthPrecisionAndFlags) {
  EXPECT_EQ(Layout().value(7).value(-7).value(5).value(42).format("%5u|%-5d|%*d|"), "    7|-7   |   42|#4");
  EXPECT_EQ(Layout().value(3.14159).value(255).format("%+.2f %#x"), "+3.14 0xff#2");
}
TEST(Printf, WhatIsNoConversionStandsForItself) {
  EXPECT_EQ(Layout().format("100 %% %y %"), "100 % %y %#0");
  EXPECT_EQ(Layout().format("%n%"), "%n%#0");
}
TEST(Printf, WidthsAreBounded) {
  EXPECT_LT(Layout().value(1).format("%999999999d").size(), 2000u);
  EXPECT_LT(Layout().value(INT32_MIN).value(1).format("%*d").size(), 2000u);
  EXPECT_LT(Layout().value(2000000000).value(1.0).format("%.*f").size(), 2000u);
}

TEST(PrintLogTest, KeepsBlockOrderAndABound) {
  PrintLog log;
  log.add(5, "five\n");
  log.add(2, "two\n");
  log.add(5, "again\n");
  EXPECT_EQ(log.text(100), "two\nfive\nagain\n");
  EXPECT_EQ(log.text(4), "two\n");
  for (int i = 0; i < 3000; ++i) log.add(3, std::string(1000, 'x'));
  const std::string text = log.text(100);
  EXPECT_TRUE(text.starts_with("two\nxxx"));
  EXPECT_THAT(text, testing::HasSubstr("left out"));
  EXPECT_LT(text.size(), PrintLog::kMostBytes + 100);
}

// ---- in kernels --------------------------------------------------------------------------------------
// "block %d %.1f\\n"
const std::string kPrintDeclaration =
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);\n"
    ".global .align 1 .b8 text[17] = {98, 108, 111, 99, 107, 32, 37, 100, 32, 37, 46, 49, 102, 10, "
    "0};\n";

TEST(Builtins, PrintfInBlockAndLaneOrder) {
  const std::string text = KernelHarness::kernel(R"(
    .local .align 8 .b8 buffer[16];
    mov.u32 %r1, %ctaid.x;
    mov.u32 %r2, %tid.x;
    cvt.rn.f64.u32 %fd1, %r2;
    mov.u64 %rd1, buffer;
    cvta.local.u64 %rd2, %rd1;
    st.local.u32 [%rd1], %r1;
    st.local.f64 [%rd1+8], %fd1;
    mov.u64 %rd3, text;
    cvta.global.u64 %rd4, %rd3;
    {
    .param .b64 a;
    .param .b64 b;
    .param .b32 r;
    st.param.b64 [a], %rd4;
    st.param.b64 [b], %rd2;
    call.uni (r), vprintf, (a, b);
    ld.param.b32 %r3, [r];
    })",
                                                 0, kPrintDeclaration);
  std::string expected;
  for (int block = 0; block < 20; ++block)
    for (int thread = 0; thread < 3; ++thread)
      expected += "block " + std::to_string(block) + " " + std::to_string(thread) + ".0\n";
  for (unsigned host_threads : {1u, 2u, 8u}) {
    KernelHarness harness(text, host_threads);
    EXPECT_EQ(harness.run({20, 1, 1}, {3, 1, 1}).printed, expected);
  }
}

const std::string kHeapDeclarations =
    ".extern .func (.param .b64 r) malloc(.param .b64 n);\n.extern .func free(.param .b64 p);\n";
std::string take(const std::string& bytes, const std::string& pointer) {
  return "{\n.param .b64 n;\n.param .b64 r;\nst.param.b64 [n], " + bytes +
         ";\ncall.uni (r), malloc, (n);\nld.param.b64 " + pointer + ", [r];\n}\n";
}
std::string give(const std::string& pointer) {
  return "{\n.param .b64 p;\nst.param.b64 [p], " + pointer + ";\ncall.uni free, (p);\n}\n";
}

LaunchResult run_heap(const std::string& body, std::vector<std::uint64_t>* out = nullptr,
                      unsigned threads = 32) {
  KernelHarness harness(
      KernelHarness::kernel("mov.u32 %r0, %tid.x;\nmul.wide.u32 %rd8, %r0, 8;\nld.param.u64 %rd9, "
                            "[p0];\nadd.u64 %rd9, %rd9, %rd8;\n" +
                                body,
                            1, kHeapDeclarations));
  const auto buffer = harness.buffer(std::vector<std::uint64_t>(threads));
  LaunchResult result = harness.run({2, 1, 1}, {threads, 1, 1}, buffer);
  if (out) *out = harness.read<std::uint64_t>(buffer, threads);
  return result;
}

TEST(Builtins, MemoryFromTheHeapIsEachLanesOwn) {
  std::vector<std::uint64_t> out;
  const LaunchResult result =
      run_heap(take("64", "%rd1") + "st.u32 [%rd1+60], %r0;\nld.u32 %r2, [%rd1+60];\n" + give("%rd1") +
                   "cvt.u64.u32 %rd2, %r2;\nst.global.u64 [%rd9], %rd2;",
               &out);
  ASSERT_TRUE(result.completed) << result.hazards.back().what;
  for (std::uint64_t i = 0; i < 32; ++i) EXPECT_EQ(out[i], i);
}
TEST(Builtins, TheHeapEnds) {
  std::vector<std::uint64_t> out;
  ASSERT_TRUE(run_heap(take("1000000", "%rd1") + "st.global.u64 [%rd9], %rd1;", &out).completed);
  EXPECT_EQ(std::count(out.begin(), out.end(), 0u), 32);  // the second block gets no memory
  ASSERT_TRUE(run_heap(take("-1", "%rd1") + "st.global.u64 [%rd9], %rd1;", &out).completed);
  EXPECT_EQ(out[0], 0u);
}
TEST(Builtins, MistakesWithTheHeapAreCaught) {
  const auto caught = [](const std::string& body) {
    const LaunchResult result = run_heap(body, nullptr, 1);
    return result.completed ? Message() : result.hazards.back().what;
  };
  EXPECT_THAT(caught(take("64", "%rd1") + "st.u32 [%rd1+64], 1;"),
              testing::AllOf(MentionsMessage("verb_writes"),
                             HasArgument("element", cudalab::Element{"memory from malloc()", {16}})));
  EXPECT_FALSE(
      caught(take("64", "%rd1") + "st.u32 [%rd1], 1;\n" + give("%rd1") + "st.u32 [%rd1], 1;").empty());
  EXPECT_THAT(caught(take("64", "%rd1") + give("%rd1") + give("%rd1")), IsMessage("free_of_no_memory"));
  EXPECT_THAT(caught("mov.u64 %rd1, 4096;\n" + give("%rd1")), IsMessage("free_of_no_memory"));
  EXPECT_TRUE(caught("mov.u64 %rd1, 0;\n" + give("%rd1")).empty());
}
TEST(Builtins, TakingAndGivingBackForLongIsFine) {
  const LaunchResult result =
      run_heap("mov.u32 %r1, 0;\nAGAIN:\n" + take("4096", "%rd1") + "st.u32 [%rd1], %r1;\n" + give("%rd1") +
                   "add.u32 %r1, %r1, 1;\nsetp.lt.u32 %p1, %r1, 5000;\n@%p1 bra AGAIN;",
               nullptr, 1);
  EXPECT_TRUE(result.completed);
}

}  // namespace
}  // namespace cudalab::vgpu
