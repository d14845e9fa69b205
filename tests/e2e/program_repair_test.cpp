// `cudalab run` of a program that finds its own results wrong: the search for the line of the mistake.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "compile/programs.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

// Combines neighbours with an operation; the last thread must combine with the first element. The mistake is
// in `@`.
const std::string kRingProgram = R"(#include <cstdio>
#include <cuda_runtime.h>
struct Plus { __device__ float operator()(float a, float b) const { return a + b; } };
template <class Operation>
__global__ void combine(const float* in, float* out, int n, Operation operation) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) out[i] = operation(in[i], in[@]);
}
int main() {
  constexpr int n = 1000;
  float host[n], found[n], *in, *out;
  for (int i = 0; i < n; ++i) host[i] = (float)(i * i % 17);
  cudaMalloc(&in, sizeof host);
  cudaMalloc(&out, sizeof host);
  cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice);
  combine<<<(n + 127) / 128, 128>>>(in, out, n, Plus());
  cudaMemcpy(found, out, sizeof host, cudaMemcpyDeviceToHost);
  cudaFree(in);
  cudaFree(out);
  for (int i = 0; i < n; ++i)
    if (found[i] != host[i] + host[(i + 1) % n]) return printf("wrong\n"), 1;
  return 0;
}
)";

class ProgramRepair : public testing::Test {
 protected:
  void SetUp() override {
    if (!compile::find_program_compiler() || !std::filesystem::exists(kRuntime))
      GTEST_SKIP() << "no compiler for programs is installed, or the runtime was not built";
  }
  // The facts of the report, and what was printed.
  std::pair<nlohmann::json, std::string> run_with(const std::string& index,
                                                  std::vector<std::string> options) {
    std::string text = kRingProgram;
    write_file(folder_.path() / "ring.cu", text.replace(text.find('@'), 1, index));
    options.insert(options.begin(), {"run", "ring.cu", "--json=ring.json"});
    const Outcome outcome = by_ids(options, {.folder = folder_.path()});
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    return {json_of(folder_.path() / "ring.json")["facts"], outcome.err};
  }
  // The search has a limit of time, so on a busy machine it may find nothing.
  std::pair<nlohmann::json, std::string> found_with(const std::string& index,
                                                    const std::vector<std::string>& options) {
    constexpr int kMostAttempts = 8;
    auto found = run_with(index, options);
    for (int i = 1; i < kMostAttempts && found.first.empty(); ++i) found = run_with(index, options);
    EXPECT_FALSE(found.first.empty()) << found.second;
    return found;
  }
  const std::filesystem::path kRuntime =
      std::filesystem::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13";
  Folder folder_;
};

TEST_F(ProgramRepair, NamesTheLineInReportAndDocument) {
  const auto [facts, said] = found_with("(i + 2) % n", {});
  ASSERT_FALSE(facts.empty());
  EXPECT_THAT(said, Says("repair_found", {{"line", 7}}));
  EXPECT_EQ(facts.back()["message"]["id"], "repair_found");
  EXPECT_EQ(facts.back()["where"]["line"], 7);
}

TEST_F(ProgramRepair, ShowsTheChangeOnlyToThoseWhoAskForMore) {
  EXPECT_THAT(found_with("(i + 2) % n", {"--verbose"}).second, Says("repair_write"));
}

TEST_F(ProgramRepair, DoesNotBeginWithNoSearch) {
  const auto [facts, said] = run_with("(i + 2) % n", {"--no-search"});
  EXPECT_THAT(said, testing::Not(Says("repair_found")));
}

}  // namespace
}  // namespace cudalab::e2e
