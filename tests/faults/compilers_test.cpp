// Sources that crash a compiler or use up its time and memory, and compilers that are killed or broken.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "tests/faults/verbs_testing.h"

namespace cudalab::faults {
namespace {

using Words = std::vector<std::string>;

std::string repeated(const std::string& text, int times) {
  std::string all;
  for (int i = 0; i < times; ++i) all += text;
  return all;
}

const std::string kKernel = "__global__ void k(float* x) { x[0] = 1; }\n";
const std::string kSmallLimits = "CUDALAB_COMPILE_SECONDS=3 CUDALAB_COMPILE_MIB=1000 exec \"$@\"";

struct Bomb {
  const char* name;
  std::string source;
};

std::vector<Bomb> bombs() {
  std::string macros = "#define A0 x[0]++;\n";
  for (int i = 1; i < 20; ++i) macros += fmt::format("#define A{0} A{1} A{1} A{1} A{1}\n", i, i - 1);
  return {
      {"template<", repeated("template<", 10'000) + "\n" + kKernel},
      {"instances without end",
       "template <long A, long B> struct G { static constexpr long v = G<A - 1, 2 * B>::v + G<A - 1, 2 * B + "
       "1>::v; };\n"
       "template <long B> struct G<0, B> { static constexpr long v = B; };\n"
       "__global__ void k(float* x) { x[0] = G<40, 0>::v; }\n"},
      {"macros", macros + "__global__ void k(float* x) { A19 }\n"},
      {"a constant that takes for ever",
       "constexpr long f(long n) { return n < 2 ? n : f(n - 1) + f(n - 2); }\n"
       "__global__ void k(float* x) { constexpr long v = f(60); x[0] = v; }\n"},
      {"an array of 2^40 elements", "__device__ char all[1ull << 40] = {1};\n" + kKernel},
      {"a line marker before an include", "# 1 \"x\" 1\n#include <cuda_fp16.h>\n" + kKernel},
      {"parentheses", "__global__ void k(float* x) { x[0] = " + repeated("(", 50'000) + "1" +
                          repeated(")", 50'000) + "; }\n"},
      {"a file that includes itself", "#include \"k.cu\"\n" + kKernel},
  };
}

const std::vector<Words>& readers() {
  static const std::vector<Words> table{
      {"run", "k.cu", "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "buf:f32:32", "--device",
       "virtual"},
      {"run", "k.cu", "--kernel", "k", "--grid", "1", "--block", "32", "--arg", "buf:f32:32", "--device",
       "virtual", "--compiler", "nvrtc"},
      {"transpose", "--device", "virtual", "--rows", "32", "--cols", "32", "--kernel", "k.cu", "--as",
       "naive", "--stage", "naive"},
      {"check", "k.cu", "--exercise", "padded-tile"},
      {"grade", "k.cu", "--exercise", "padded-tile", "--seconds", "20"},
  };
  return table;
}

std::string what_is_wrong(const Words& words, const Bomb& bomb) {
  const Place place;
  fill(place, true);
  std::ofstream(place.work() / "k.cu") << bomb.source;
  const auto before = place.files();
  const Ending ending = run(place, words, {.shell = kSmallLimits});
  std::string problems;
  if (ending.code < 0 || ending.code > 4) problems += "\nthe exit code is not documented";
  if (ending.code != 0 && ending.out.empty() && ending.err.empty()) problems += "\nit fails without a word";
  if (ending.code > 1 && (ending.err + ending.out).find("k.cu") == std::string::npos)
    problems += "\nit does not say where";
  for (const std::string& survivor : ending.survivors) problems += "\nstill runs: " + survivor;
  problems += leftovers(place, before, {});
  return problems.empty() ? ""
                          : fmt::format("{} {}, code {}: {}{}{}\n", words[0], bomb.name, ending.code,
                                        ending.err.substr(0, 500), ending.out.substr(0, 500), problems);
}

TEST(CompileBombs, EndWithinTheLimitsAndAreNamed) {
  const std::vector<Bomb> all = bombs();
  const std::size_t count = all.size() * readers().size();
  std::vector<std::string> problems(count);
  side_by_side(count, [&](std::size_t i) {
    if (is_wanted(i)) problems[i] = what_is_wrong(readers()[i % readers().size()], all[i / readers().size()]);
  });
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

// With this little memory, no compiler process can start. Code in the cache needs none.
TEST(CompileProcess, IsNotStartedForWhatTheCacheHas) {
  const Place place;
  fill(place, false);
  const Words& words = readers()[1];
  EXPECT_EQ(run(place, words).code, 0);
  const Fault no_process{.environment = {{"CUDALAB_COMPILE_MIB", "1"}}};
  const Ending warm = run(place, words, no_process);
  EXPECT_EQ(warm.code, 0) << warm.err;
  std::ofstream(place.work() / "k.cu") << kKernel << "\n\n";
  const Ending cold = run(place, words, no_process);
  EXPECT_EQ(cold.code, 3);
  EXPECT_TRUE(cold.err.starts_with("cudalab: cannot start the compiler process")) << cold.err;
}

}  // namespace
}  // namespace cudalab::faults
