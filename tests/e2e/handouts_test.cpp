// What the handouts, walks and quizzes say of an H200 is what was recorded on one: expected/h200.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <regex>

#include "tests/e2e/program.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kSource = CUDALAB_SOURCE_DIR;

Json recorded(const std::string& lab, const std::string& run) {
  const Json document = Json::parse(read_file(kSource / "expected" / "h200" / (lab + ".json")));
  for (const Json& one : document["runs"])
    if (one["name"] == run) return one;
  throw std::runtime_error("no such row: " + lab + " " + run);
}

double milliseconds(const std::string& lab, const std::string& run) {
  return recorded(lab, run)["time_ms"]["median"];
}
double ratio(const std::string& lab, const std::string& run, const std::string& to) {
  return milliseconds(lab, run) / milliseconds(lab, to);
}

// 4284.3 as "4,284".
std::string with_comma(double number) {
  const auto whole = static_cast<long>(number + 0.5);
  return whole < 1000 ? fmt::format("{}", whole) : fmt::format("{},{:03}", whole / 1000, whole % 1000);
}
std::string gb_s(const std::string& lab, const std::string& run) {
  return with_comma(recorded(lab, run)["gb_s"]);
}
std::string cycles(const std::string& run) {
  return fmt::format("{:.0f}", recorded("memory", run)["extra"]["latency_cycles"].get<double>());
}

// In one line, so that a sentence is found wherever its lines break.
std::string text_of(const std::string& file) {
  return std::regex_replace(read_file(kSource / "labs" / file), std::regex("\\s+"), " ");
}

struct Claim {
  std::string file, sentence;
};

std::vector<Claim> claims_on_reductions() {
  const auto us = [](const char* run) { return fmt::format("{:.0f}", 1000 * milliseconds("dot", run)); };
  const std::string scaled = fmt::format("{:.2f} ms", milliseconds("norm", "scaled"));
  const std::string naive = fmt::format("{:.2f}", milliseconds("norm", "naive"));
  return {
      {"dot/README.md", fmt::format("`tree` takes {} µs where `shared` takes {}", us("tree"), us("shared"))},
      {"dot/README.md", fmt::format("need no barrier within a warp, takes {}", us("shuffle"))},
      {"norm/quiz.json", fmt::format("on an H200 {}, where the naive version takes {}", scaled, naive)},
      {"norm/learn.json", fmt::format("on an H200 {} where the naive kernel takes {}", scaled, naive)},
      {"norm/learn.json",
       fmt::format("({} GB/s, and the best version reads {})", gb_s("norm", "naive"), gb_s("norm", "best"))},
  };
}

std::vector<Claim> claims_on_matrices() {
  const auto ms = [](const char* run) { return fmt::format("{:.2f} ms", milliseconds("matvec", run)); };
  const std::string first = fmt::format("{:.0f} ms", milliseconds("matvec", "version-1"));
  const auto of_ceiling = [](const char* run) {
    return recorded("transpose", run)["percent_of_ceiling"].get<double>();
  };
  return {
      {"matvec/README.md",
       fmt::format("{} on an H200 (stage `read`: {} GB/s)", ms("read"), gb_s("matvec", "read"))},
      {"matvec/README.md", fmt::format("{} become {}", first, ms("version-2"))},
      {"matvec/README.md", fmt::format("Now 8 sectors a request: {}", ms("version-3"))},
      {"matvec/README.md", fmt::format("used again for the product. {}", ms("version-4"))},
      {"matvec/README.md", fmt::format("matrix product from shared memory: {}", ms("best"))},
      {"matvec/README.md", fmt::format("`read`, is {}", ms("read"))},
      {"matvec/README.md", fmt::format("its matrix product take {} together", ms("cublas"))},
      {"transpose/README.md",
       fmt::format("`naive` takes {:.1f} times as long as `copy`, and `tiled` {:.1f} times as "
                   "long as `padded`",
                   ratio("transpose", "naive", "copy"), ratio("transpose", "tiled", "padded"))},
      {"transpose/README.md",
       fmt::format(
           "moves only {:.0f} % of what `copy` moves on an H200 (8192 × 8192 floats); `best` moves {:.0f} %",
           of_ceiling("padded"), of_ceiling("best"))},
  };
}

std::vector<Claim> claims_on_memory() {
  const std::string shared = cycles("latency-shared"), global = cycles("latency-global");
  return {
      {"memory/learn.json", fmt::format("takes {} cycles in shared memory", shared)},
      {"memory/learn.json", fmt::format("{}, more than twenty times as many", global)},
      {"memory/learn.json",
       fmt::format("{} cycles for the cache of a multiprocessor, {} for that of the whole card",
                   cycles("latency-l1"), cycles("latency-l2"))},
      {"memory/exercise/shared-walk/exercise.json",
       fmt::format("{} cycles for shared memory, and {} for global memory", shared, global)},
      {"read-offset/README.md",
       fmt::format("| GB/s | {} | {} |", gb_s("read-offset", "aligned"), gb_s("read-offset", "offset-11"))},
      {"read-offset/README.md",
       fmt::format("| GB/s on an H200 | {} | {} | {} | {} | {} |", gb_s("read-offset", "shared"),
                   gb_s("read-offset", "offset-11"), gb_s("read-offset", "several"),
                   gb_s("read-offset", "realigned"), gb_s("read-offset", "wide"))},
  };
}

TEST(Handouts, SayOfAnH200WhatWasRecordedOnOne) {
  for (const auto& claims : {claims_on_reductions(), claims_on_matrices(), claims_on_memory()})
    for (const Claim& claim : claims)
      EXPECT_THAT(text_of(claim.file), testing::HasSubstr(claim.sentence)) << claim.file;
}

}  // namespace
}  // namespace cudalab::e2e
