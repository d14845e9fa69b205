#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <regex>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "vgpu/memory/memory.h"
#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

// out[thread] = %r1 after `body`; %r0 is the thread's number.
std::string storing_r1(const std::string& functions, const std::string& body) {
  return KernelHarness::kernel(
      "mov.u32 %r0, %tid.x;\n" + body +
          "\nld.param.u64 %rd0, [p0];\nmul.wide.u32 %rd1, %r0, 4;\nadd.u64 %rd0, %rd0, %rd1;\n"
          "st.global.u32 [%rd0], %r1;",
      1, functions);
}

std::vector<std::uint32_t> run_calls(const std::string& text, LaunchResult* outcome = nullptr,
                                     unsigned threads = 32) {
  KernelHarness harness(text);
  const auto out = harness.buffer(std::vector<std::uint32_t>(threads));
  const LaunchResult result = harness.run({1, 1, 1}, {threads, 1, 1}, out);
  if (outcome)
    *outcome = result;
  else
    EXPECT_TRUE(result.completed) << result.hazards.back().what;
  return harness.read<std::uint32_t>(out, threads);
}

std::string function(const std::string& name, const std::string& body) {
  return ".func (.param .b32 result) " + name +
         "(.param .b32 n)\n{\n.reg .pred %p<9>;\n.reg .b32 %r<20>;\n.reg .b64 %rd<9>;\n" +
         "ld.param.u32 %r1, [n];\n" + body + "\nst.param.b32 [result], %r2;\nret;\n}\n";
}
std::string call(const std::string& callee, const std::string& argument, const std::string& result) {
  return "{\n.param .b32 in;\n.param .b32 out;\nst.param.b32 [in], " + argument + ";\ncall.uni (out), " +
         callee + ", (in);\nld.param.b32 " + result + ", [out];\n}\n";
}

std::string fibonacci() {
  return ".func (.param .b32 result) fibonacci(.param .b32 n);\n" +
         function("fibonacci",
                  "mov.u32 %r2, %r1;\nsetp.lt.u32 %p1, %r1, 2;\n@%p1 bra DONE;\nsub.u32 %r3, %r1, 1;\n" +
                      call("fibonacci", "%r3", "%r4") + "sub.u32 %r3, %r1, 2;\n" +
                      call("fibonacci", "%r3", "%r5") + "add.u32 %r2, %r4, %r5;\nDONE:");
}

TEST(Calls, EachLaneToItsOwnDepth) {
  std::vector<std::uint32_t> numbers{0, 1};
  while (numbers.size() < 16) numbers.push_back(numbers.end()[-1] + numbers.end()[-2]);
  const auto values =
      run_calls(storing_r1(fibonacci(), "and.b32 %r2, %r0, 15;\n" + call("fibonacci", "%r2", "%r1")));
  for (std::size_t i = 0; i < 32; ++i) EXPECT_EQ(values[i], numbers[i % 16]);
}

// Calls f with an argument of `parts` contiguous parts of `bits` bits each: part k of thread t is t + 16 k.
// The result has the same shape; each part is incremented by 1. Lanes 0 to `first` - 1 do not call.
std::vector<std::uint32_t> call_with(int bits, int parts, std::uint32_t first) {
  const std::string type = std::to_string(bits), reg = bits == 64 ? "%rd" : bits == 32 ? "%r" : "%rs";
  const std::string shape = ".align 8 .b8 NAME[" + std::to_string(bits / 8 * parts) + "]";
  const auto named = [&](const char* name) { return std::regex_replace(shape, std::regex("NAME"), name); };
  const auto place = [&](const char* name, int part) {
    return "[" + std::string(name) + "+" + std::to_string(bits / 8 * part) + "]";
  };
  const std::string to_own = bits == 64  ? "cvt.u64.u32 %rd5, %r5;\n"
                             : bits < 32 ? "cvt.u16.u32 %rs5, %r5;\n"
                                         : "";
  const std::string from_own = bits == 64  ? "cvt.u32.u64 %r5, %rd5;\n"
                               : bits < 32 ? "cvt.u32.u16 %r5, %rs5;\n"
                                           : "";
  std::string callee = ".func (.param " + named("result") + ") f(.param " + named("n") +
                       ")\n{\n.reg .b16 %rs<9>;\n.reg .b32 %r<9>;\n.reg .b64 %rd<9>;\n";
  std::string body = "mov.u32 %r1, 7;\nsetp.lt.u32 %p1, %r0, " + std::to_string(first) +
                     ";\n@%p1 bra BEHIND;\nmov.u32 %r1, 0;\n{\n.param " + named("in") + ";\n.param " +
                     named("out") + ";\n";
  std::string read;
  for (int part = 0; part < parts; ++part) {
    callee += "ld.param.b" + type + " " + reg + "5, " + place("n", part) + ";\n" + from_own +
              "add.u32 %r5, %r5, 1;\n" + to_own + "st.param.b" + type + " " + place("result", part) + ", " +
              reg + "5;\n";
    body += "add.u32 %r5, %r0, " + std::to_string(16 * part) + ";\n" + to_own + "st.param.b" + type + " " +
            place("in", part) + ", " + reg + "5;\n";
    read += "ld.param.b" + type + " " + reg + "5, " + place("out", part) + ";\n" + from_own +
            "add.u32 %r1, %r1, %r5;\n";
  }
  return run_calls(
      storing_r1(callee + "ret;\n}\n", body + "call.uni (out), f, (in);\n" + read + "}\nBEHIND:\n"));
}

TEST(Calls, EveryLaneHasItsOwnBytesOfAParameter) {
  for (const int bits : {8, 16, 32, 64})
    for (const int parts : {1, 2, 3})
      for (const std::uint32_t first : {0u, 5u})
        EXPECT_EQ(call_with(bits, parts, first), each_lane([&](auto lane) {
                    std::uint32_t sum = 0;
                    for (int part = 0; part < parts; ++part)
                      sum += lane + 16 * static_cast<std::uint32_t>(part) + 1;
                    return lane < first ? 7 : sum;
                  }))
            << bits << " bits, " << parts << " parts, from lane " << first;
}

TEST(Calls, ThroughPointersToDifferentFunctions) {
  const std::string functions = function("twice", "add.u32 %r2, %r1, %r1;") +
                                function("square", "mul.lo.u32 %r2, %r1, %r1;") +
                                ".global .align 8 .u64 table[2] = {twice, square};\n";
  const auto values = run_calls(storing_r1(functions, R"(
    and.b32 %r2, %r0, 1;
    mul.wide.u32 %rd2, %r2, 8;
    mov.u64 %rd3, table;
    add.u64 %rd3, %rd3, %rd2;
    ld.global.u64 %rd4, [%rd3];
    {
    .param .b32 in;
    .param .b32 out;
    st.param.b32 [in], %r0;
    shape: .callprototype (.param .b32 _) _ (.param .b32 _);
    call (out), %rd4, (in), shape;
    ld.param.b32 %r1, [out];
    })"));
  EXPECT_EQ(values, each_lane([](auto l) { return l % 2 ? l * l : 2 * l; }));
}

TEST(Calls, ThroughAPointerThatIsNoFunctionIsCaught) {
  LaunchResult result;
  run_calls(storing_r1("", "mov.u64 %rd4, 1234;\n{\nshape: .callprototype _ ();\ncall %rd4, shape;\n}"),
            &result);
  ASSERT_FALSE(result.completed);
  EXPECT_THAT(result.hazards.back().what, IsMessage("call_of_no_function"));
}

// The module has one function, number 0, which is the kernel.
TEST(Calls, ThroughAPointerToAKernelOrBehindTheLastFunctionIsCaught) {
  for (const std::uint64_t number : {0, 1, 2}) {
    LaunchResult result;
    run_calls(storing_r1("", "mov.u64 %rd4, " + std::to_string(kFunctionWindow + number) +
                                 ";\n{\nshape: .callprototype _ ();\ncall %rd4, shape;\n}"),
              &result);
    ASSERT_EQ(result.hazards.size(), 1u) << number;
    EXPECT_THAT(result.hazards[0].what, IsMessage("call_of_no_function"));
  }
}

TEST(Calls, LocalVariablesOfCallerAndCalleeAreApart) {
  const std::string callee = function("store",
                                      ".local .align 4 .b8 own[64];\nmov.u64 %rd1, own;\nst.local.u32 "
                                      "[%rd1+60], %r1;\nst.local.u32 [%rd1], 7;\n"
                                      "ld.local.u32 %r2, [%rd1+60];");
  EXPECT_EQ(run_calls(storing_r1(
                callee,
                ".local .align 4 .b8 mine[64];\nmov.u64 %rd5, mine;\nst.local.u32 [%rd5+60], %r0;\n"
                "st.local.u32 [%rd5], 5;\nadd.u32 %r2, %r0, 1000;\n" +
                    call("store", "%r2", "%r3") +
                    "ld.local.u32 %r4, [%rd5+60];\nadd.u32 %r1, %r3, %r4;\n"
                    "ld.local.u32 %r5, [%rd5];\nadd.u32 %r1, %r1, %r5;")),
            each_lane([](auto l) { return l + 1000 + l + 5; }));
}

TEST(Calls, LanesExitInsideAFunction) {
  const std::string callee = function("leave", "setp.lt.u32 %p1, %r1, 16;\n@%p1 exit;\nmov.u32 %r2, 3;");
  EXPECT_EQ(run_calls(storing_r1(callee, call("leave", "%r0", "%r1"))),
            each_lane([](auto l) { return l < 16 ? 0u : 3u; }));
}

TEST(Calls, EndlessRecursionIsAStackOverflow) {
  const std::string forever =
      ".func (.param .b32 result) f(.param .b32 n);\n" + function("f", call("f", "%r1", "%r2"));
  LaunchResult result;
  run_calls(storing_r1(forever, call("f", "%r0", "%r1")), &result, 1024);
  ASSERT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.back().kind, HazardKind::kStackOverflow);
  EXPECT_EQ(result.hazards.back().cuda_error, "CUDA_ERROR_HARDWARE_STACK_ERROR");
}

TEST(Calls, VariablesThatDoNotFitAnyMoreAreAStackOverflow) {
  const std::string forever =
      ".func (.param .b32 result) f(.param .b32 n);\n" +
      function("f", ".local .align 4 .b8 own[10000];\nmov.u64 %rd1, own;\nst.local.u32 [%rd1+9996], %r1;\n" +
                        call("f", "%r1", "%r2"));
  LaunchResult result;
  run_calls(storing_r1(forever, call("f", "%r0", "%r1")), &result);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kStackOverflow);
}

// Every lane recurses on its own path, so no two lanes share a frame.
TEST(Calls, EndlessRecursionOfDivergedLanesStaysWithinALimit) {
  std::string big = ".reg .b64 %big<2000>;\n";
  const std::string forever =
      ".func (.param .b32 result) f(.param .b32 n);\n" +
      function("f", big + "setp.eq.u32 %p1, %r1, 0;\n@%p1 bra DONE;\nsub.u32 %r3, %r1, 1;\n" +
                        call("f", "%r3", "%r2") + "bra DONE;\nDONE:\nadd.u32 %r3, %r1, 50;\n" +
                        call("f", "%r3", "%r2"));
  LaunchResult result;
  run_calls(storing_r1(forever, call("f", "%r0", "%r1")), &result, 256);
  ASSERT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.back().kind, HazardKind::kStackOverflow);
}

TEST(Calls, ALargeLocalArrayInACalleeFits) {
  const std::string callee = function("store",
                                      ".local .align 4 .b8 own[100000];\nmov.u64 %rd1, own;\nst.local.u32 "
                                      "[%rd1+99996], %r1;\nld.local.u32 %r2, [%rd1+99996];");
  EXPECT_EQ(run_calls(storing_r1(callee, call("store", "%r0", "%r1"))), each_lane([](auto l) { return l; }));
}

TEST(Calls, FunctionsThatNobodyProvidesAreRefusedByName) {
  const Message refusal = refused([] {
    KernelHarness harness(storing_r1(".extern .func (.param .b32 result) missing(.param .b32 n);\n",
                                     call("missing", "%r0", "%r1")));
  });
  EXPECT_THAT(refusal, testing::AllOf(MentionsMessage("name_defined_elsewhere"),
                                      HasArgument("name", Code{"missing"})));
}

// ---- divergence and reconvergence --------------------------------------------------------------------
struct Counts {
  std::vector<std::uint32_t> out;
  double stores;  // warp requests
};

Counts count(const std::string& text) {
  Counts counts;
  LaunchResult result;
  counts.out = run_calls(text, &result);
  EXPECT_TRUE(result.completed);
  counts.stores = result.counters->get(Counter::kGlobalStoreRequests).value();
  return counts;
}

// 3 n for odd n, 2 n for even n.
const std::string kParts =
    function("parts",
             "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\n"
             "mul.lo.u32 %r2, %r1, 3;\nbra.uni MEET;\nEVEN:\nadd.u32 %r2, %r1, %r1;\nMEET:\n");
const auto kPartsOf = [](auto l) { return l % 2 ? 3 * l : 2 * l; };

TEST(CallsThatPart, LanesMeetInsideTheFunction) {
  const Counts counts = count(storing_r1(kParts, call("parts", "%r0", "%r1")));
  EXPECT_EQ(counts.out, each_lane(kPartsOf));
  EXPECT_EQ(counts.stores, 1);
}

TEST(CallsThatPart, LanesThatReturnEarlyMeetBehindTheCall) {
  const std::string early =
      function("early",
               "mov.u32 %r2, 5;\nst.param.b32 [result], %r2;\nsetp.lt.u32 %p1, %r1, 9;\n@%p1 ret;\n"
               "mov.u32 %r2, %r1;");
  const Counts counts = count(storing_r1(early, call("early", "%r0", "%r1")));
  EXPECT_EQ(counts.out, each_lane([](auto l) { return l < 9 ? 5 : l; }));
  EXPECT_EQ(counts.stores, 1);
}

TEST(CallsThatPart, LanesThatDoNotCallWaitBehindIt) {
  const Counts counts =
      count(storing_r1(kParts, "mov.u32 %r1, 1000;\nsetp.lt.u32 %p1, %r0, 8;\n@%p1 bra BEHIND;\n" +
                                   call("parts", "%r0", "%r1") + "BEHIND:\n"));
  EXPECT_EQ(counts.out, each_lane([](auto l) { return l < 8 ? 1000 : kPartsOf(l); }));
  EXPECT_EQ(counts.stores, 1);
}

// Two simultaneous activations of one function, each with its own registers.
TEST(CallsThatPart, BothArmsCallTheSameFunction) {
  const Counts counts = count(storing_r1(
      kParts, "and.b32 %r5, %r0, 2;\nsetp.eq.u32 %p1, %r5, 0;\n@%p1 bra LOW;\nadd.u32 %r6, %r0, 100;\n" +
                  call("parts", "%r6", "%r1") + "bra.uni BEHIND;\nLOW:\n" + call("parts", "%r0", "%r1") +
                  "BEHIND:\n"));
  EXPECT_EQ(counts.out, each_lane([](auto l) { return kPartsOf(l & 2 ? l + 100 : l); }));
  EXPECT_EQ(counts.stores, 1);
}

TEST(CallsThatPart, ALoopCallsAsOftenAsEachLaneNeeds) {
  const Counts counts = count(storing_r1(
      kParts, "mov.u32 %r1, 0;\nmov.u32 %r5, 0;\nAGAIN:\nsetp.ge.u32 %p1, %r5, %r0;\n@%p1 bra DONE;\n" +
                  call("parts", "%r5", "%r6") +
                  "add.u32 %r1, %r1, %r6;\nadd.u32 %r5, %r5, 1;\nbra.uni AGAIN;\nDONE:\n"));
  EXPECT_EQ(counts.out, each_lane([](auto l) {
              std::uint32_t sum = 0;
              for (std::uint32_t i = 0; i < l; ++i) sum += kPartsOf(i);
              return sum;
            }));
  EXPECT_EQ(counts.stores, 1);
}

TEST(CallsThatPart, LanesOfDifferentDepthMeetBehindTheOutermostCall) {
  const Counts counts =
      count(storing_r1(fibonacci(), "and.b32 %r2, %r0, 7;\n" + call("fibonacci", "%r2", "%r1")));
  EXPECT_EQ(counts.stores, 1);
}

// Inside the function, even and odd lanes store separately; everywhere else all 32 lanes store together.
TEST(CallsThatPart, ExecutedInstructionsAreThoseOfEachArm) {
  const std::string stores = function(
      "stores",
      "and.b32 %r3, %r1, 1;\nsetp.eq.u32 %p1, %r3, 0;\n@%p1 bra EVEN;\nst.local.u32 [own], %r1;\n"
      "bra.uni MEET;\nEVEN:\nst.local.u32 [own+4], %r1;\nMEET:\nst.local.u32 [own+8], %r1;\nmov.u32 %r2, 1;");
  const std::string text =
      std::regex_replace(stores, std::regex(R"(\.reg \.pred)"), ".local .align 4 .b8 own[16];\n.reg .pred");
  LaunchResult result;
  run_calls(storing_r1(text, call("stores", "%r0", "%r1")), &result);
  EXPECT_EQ(result.counters->get(Counter::kLocalStoreRequests), 3);
  EXPECT_EQ(result.counters->get(Counter::kDivergentBranches), 1);
  EXPECT_EQ(result.counters->get(Counter::kBranches), 1);
}

// A thousand successive calls; each reuses the registers of the previous one.
TEST(Calls, RegistersOfACallThatIsOverAreUsedAgain) {
  const std::string big = function("big", ".reg .b64 %big<2000>;\nadd.u32 %r2, %r1, 1;");
  EXPECT_EQ(run_calls(storing_r1(big, "mov.u32 %r1, 0;\nAGAIN:\n" + call("big", "%r1", "%r1") +
                                          "setp.lt.u32 %p1, %r1, 1000;\n@%p1 bra AGAIN;\n")),
            each_lane([](auto) { return 1000; }));
}

TEST(Calls, AFunctionThatTakesFromTheStackBeginsAfreshEachTime) {
  const std::string callee = function("take",
                                      "mov.u64 %rd2, 4096;\nalloca.u64 %rd3, %rd2, 16;\nst.local.u32 [%rd3], "
                                      "%r1;\nld.local.u32 %r2, [%rd3];");
  EXPECT_EQ(
      run_calls(storing_r1(callee, "mov.u32 %r5, 0;\nAGAIN:\n" + call("take", "%r0", "%r1") +
                                       "add.u32 %r5, %r5, 1;\nsetp.lt.u32 %p1, %r5, 50;\n@%p1 bra AGAIN;\n")),
      each_lane([](auto l) { return l; }));
}

// ---- alloca ------------------------------------------------------------------------------------------
TEST(Alloca, EachLaneTakesWhatItNeeds) {
  EXPECT_EQ(run_calls(storing_r1("", R"(
    add.u32 %r2, %r0, 1;
    mul.wide.u32 %rd2, %r2, 4;
    alloca.u64 %rd3, %rd2, 16;
    alloca.u64 %rd4, %rd2, 16;
    mul.wide.u32 %rd5, %r0, 4;
    add.u64 %rd6, %rd3, %rd5;
    st.local.u32 [%rd6], %r0;
    st.local.u32 [%rd4], 9;
    ld.local.u32 %r1, [%rd6];)")),
            each_lane([](auto l) { return l; }));
}

TEST(Alloca, StackRestoreGivesTheMemoryBack) {
  EXPECT_EQ(run_calls(storing_r1("", R"(
    mov.u32 %r3, 0;
  AGAIN:
    stacksave.u64 %rd2;
    alloca.u64 %rd3, 4096, 16;
    st.local.u32 [%rd3+4092], %r3;
    ld.local.u32 %r1, [%rd3+4092];
    stackrestore.u64 %rd2;
    add.u32 %r3, %r3, 1;
    setp.lt.u32 %p1, %r3, 100;
    @%p1 bra AGAIN;)")),
            each_lane([](auto) { return 99; }));
}

TEST(Alloca, TooMuchLittleByLittleIsAStackOverflow) {
  LaunchResult result;
  run_calls(storing_r1("",
                       "mov.u32 %r3, 0;\nAGAIN:\nalloca.u64 %rd3, 1000, 16;\nst.local.u32 [%rd3], %r3;\n"
                       "add.u32 %r3, %r3, 1;\nsetp.lt.u32 %p1, %r3, 100;\n@%p1 bra AGAIN;"),
            &result);
  ASSERT_EQ(result.hazards.size(), 1u);
  EXPECT_EQ(result.hazards[0].kind, HazardKind::kStackOverflow);
}

TEST(Alloca, TooMuchIsAStackOverflow) {
  LaunchResult result;
  run_calls(storing_r1("", "mov.u64 %rd2, -8;\nalloca.u64 %rd3, %rd2, 16;\nst.local.u32 [%rd3], 1;"),
            &result);
  ASSERT_FALSE(result.completed);
  EXPECT_EQ(result.hazards.back().kind, HazardKind::kStackOverflow);
}

}  // namespace
}  // namespace cudalab::vgpu
