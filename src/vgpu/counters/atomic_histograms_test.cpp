// Tests that histograms with bins in global memory send as many sectors as counted on an H200.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "vgpu/vgpu_testing.h"

namespace cudalab::vgpu {
namespace {

using Json = nlohmann::json;

constexpr std::uint32_t kThreads = 4096;

// The recorded keys: thread i has the i-th key of a linear congruential generator.
class Keys {
 public:
  Keys(std::uint64_t bins, std::uint64_t seed) : bins_(bins), state_(seed) {}

  std::vector<std::uint32_t> of(const std::string& name) {
    using Draw = std::uint64_t (Keys::*)(std::uint64_t);
    static const std::map<std::string, Draw> kinds{{"uniform", &Keys::uniform}, {"skewed", &Keys::skewed},
                                                   {"bell", &Keys::bell},       {"few", &Keys::few},
                                                   {"sorted", &Keys::sorted},   {"near", &Keys::near}};
    std::vector<std::uint32_t> keys(kThreads);
    for (std::uint64_t i = 0; i < kThreads; ++i)
      keys[i] = static_cast<std::uint32_t>((this->*kinds.at(name))(i));
    return keys;
  }

 private:
  std::uint64_t next() {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return state_ >> 33;
  }
  std::uint64_t any() { return next() % bins_; }
  std::uint64_t uniform(std::uint64_t) { return any(); }
  std::uint64_t skewed(std::uint64_t) {
    const std::uint64_t first = any(), second = any();
    return std::min({first, second, any()});
  }
  std::uint64_t bell(std::uint64_t) {
    std::uint64_t sum = 0;
    for (int i = 0; i < 4; ++i) sum += any();
    return sum / 4;
  }
  std::uint64_t few(std::uint64_t) { return next() % 4 == 0 ? any() : bins_ / 3; }
  std::uint64_t sorted(std::uint64_t i) { return i * bins_ / kThreads; }
  std::uint64_t near(std::uint64_t i) { return (sorted(i) + next() % 64) % bins_; }

  std::uint64_t bins_, state_;
};

struct BinType {
  std::string reg, one;
  int bytes;
};
const BinType& bin_type(const std::string& name) {
  static const std::map<std::string, BinType> types{
      {"u32", {"%r9", "1", 4}}, {"u64", {"%rd9", "1", 8}}, {"f32", {"%f9", "0f3F800000", 4}}};
  return types.at(name);
}

// p0: the keys; p1: the bins.
std::string histogram_kernel_of(const Json& record) {
  const std::string type = record["type"];
  const BinType& bin = bin_type(type);
  const bool wanted = record["old_value_used"];
  return KernelHarness::kernel(
      "ld.param.u64 %rd1, [p0];\nld.param.u64 %rd2, [p1];\nmov.u32 %r1, %ctaid.x;\nmov.u32 %r2, %tid.x;\n"
      "mad.lo.u32 %r4, %r1, 128, %r2;\nmad.wide.u32 %rd4, %r4, 4, %rd1;\nld.global.u32 %r5, [%rd4];\n" +
          fmt::format("mad.wide.u32 %rd5, %r5, {}, %rd2;\nmov.{} {}, {};\n", bin.bytes, type, bin.reg,
                      bin.one) +
          (wanted ? fmt::format("atom.global.add.{} %r10, [%rd5], {};\nst.global.u32 [%rd4], %r10;", type,
                                bin.reg)
                  : fmt::format("red.global.add.{} [%rd5], {};", type, bin.reg)),
      2);
}

TEST(AtomicHistograms, SendWhatTheCardSends) {
  std::ifstream file(CUDALAB_SOURCE_DIR "/expected/h200/atomic_histograms.jsonl");
  ASSERT_TRUE(file);
  int records = 0;
  for (std::string line; std::getline(file, line); ++records) {
    const Json record = Json::parse(line);
    KernelHarness harness(histogram_kernel_of(record), 1u);
    harness.check_memory = harness.check_races = false;
    const std::uint64_t bins = record["bins"];
    const Counters ours = *harness
                               .run({kThreads / 128, 1, 1}, {128, 1, 1},
                                    harness.buffer(Keys(bins, record["seed"]).of(record["keys"])),
                                    harness.buffer(std::vector<std::uint64_t>(bins)))
                               .counters;
    const auto card = [&](const char* name) { return record["counted"].value(name, 0.0); };
    EXPECT_EQ(ours.get(Counter::kGlobalAtomicRequests), card("atom_requests")) << line;
    EXPECT_EQ(ours.get(Counter::kGlobalAtomicSectors), card("atom_sectors")) << line;
    EXPECT_EQ(ours.get(Counter::kGlobalReductionRequests), card("red_requests")) << line;
    EXPECT_EQ(ours.get(Counter::kGlobalReductionSectors), card("red_sectors")) << line;
  }
  EXPECT_EQ(records, 32);
}

}  // namespace
}  // namespace cudalab::vgpu
