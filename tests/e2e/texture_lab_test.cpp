// The texture lab, the integral from a table in a texture, and the walk through a texture: their results, and
// the limits that they show.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;
using testing::HasSubstr;

TEST(Texture, ShowsItsTexels) {
  const std::string text = cudalab({"texture", "--device", "virtual", "--stage", "texels", "--n", "8"}).out;
  EXPECT_THAT(text, HasSubstr("0 2 4 6 8 10 12 14\n"));
}

TEST(Texture, AnySizePasses) {
  for (const char* n : {"1", "31", "257", "10007"})
    EXPECT_EQ(document_of({"texture", "--n", n})["verdict"], "pass") << n;
}

TEST(Texture, FetchesAreRequestsOfTheirOwn) {
  const Json result = document_of({"texture", "--n", "1024", "--stage", "copy,dot-global,dot-mixed"});
  constexpr const char *kTexture = "ptx_texture_requests",
                       *kLoads = "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum";
  EXPECT_EQ(result["runs"][0]["counters"][kTexture], 32);
  EXPECT_EQ(result["runs"][0]["counters"][kLoads], 0);
  EXPECT_EQ(result["runs"][1]["counters"][kTexture], 0);
  EXPECT_EQ(result["runs"][1]["counters"][kLoads], 64);
  EXPECT_EQ(result["runs"][2]["counters"][kTexture], 64);
}

// Sizes of a single pixel, a partial row of blocks, and several blocks.
TEST(Texture, BlursAPictureOfAnySize) {
  for (const char* n : {"1", "3", "1100", "4096"})
    EXPECT_EQ(document_of({"texture", "--n", n, "--stage", "grey,blur-global,blur-texture"})["verdict"],
              "pass")
        << n;
}

TEST(Texture, SeesToEdgesAndBytesForTheKernel) {
  const Json runs = document_of({"texture", "--n", "4096", "--stage", "blur-global,blur-texture"})["runs"];
  EXPECT_EQ(runs[0]["counters"]["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"], 5 * 4096 / 32);
  EXPECT_EQ(runs[1]["counters"]["ptx_texture_requests"], 5 * 4096 / 32);
  EXPECT_LT(runs[1]["counters"]["ptx_warp_instructions"], runs[0]["counters"]["ptx_warp_instructions"]);
}

// A result shifted by one texel is wrong everywhere except where neighbouring texels are equal.
TEST(Texture, ComparesTheUsersPicture) {
  Folder folder;
  std::string source = read_file(CUDALAB_SOURCE_DIR "/labs/texture/6_grey.cu");
  source.replace(source.find("(x + 0.5f) / width"), 18, "(x + 1.5f) / width");
  write_file(folder / "mine.cu", source);
  const Outcome outcome = cudalab({"texture", "--n", "4096", "--stage", "grey", "--device", "virtual",
                                   "--kernel", (folder / "mine.cu").string(), "--json"});
  EXPECT_EQ(outcome.code, 1) << outcome.err;
  EXPECT_EQ(Json::parse(outcome.out)["runs"].back()["verdict"], "fail");
}

TEST(Texture, MoreTexelsThanARowHoldsLieInRows) {
  const std::vector<std::string> command{"texture", "--stage", "texels", "--n", "131073"};
  const Json result = document_of(command);
  EXPECT_EQ(result["verdict"], "pass");
  EXPECT_THAT(result["notes"].dump(), HasSubstr("3 rows of 65536"));
  std::vector<std::string> in_one_row = command;
  in_one_row.insert(in_one_row.end(), {"--array", "1d", "--device", "virtual"});
  const Outcome refused = by_ids(in_one_row);
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, Says("texture_size_too_large", {{"shape", "texture_shape_1d()"},
                                                           {"size", "texture_width()"},
                                                           {"most", 131072},
                                                           {"given", 131073}}));
}

TEST(Texture, NoCardFetchesDoubles) {
  const Outcome refused = by_ids({"texture", "--type", "f64", "--device", "virtual"});
  EXPECT_EQ(refused.code, 2);
  EXPECT_THAT(refused.err, Says("texel_type_too_wide", {{"type", "f64"}}));
}

double error_of(const Json& result, const std::string& row) {
  for (const Json& run : result["runs"])
    if (run["name"] == row) return run["extra"]["integration_error"];
  ADD_FAILURE() << "no row " << row;
  return 0;
}

TEST(IntegralFromATable, LosesWhatFloatsAndTheFilterLose) {
  const Json result =
      document_of({"integral", "--stage", "rectangle,table", "--texels", "4096", "--n", "4096"});
  EXPECT_LT(error_of(result, "rectangle"), 1e-8);
  EXPECT_GT(error_of(result, "table-fetch"), error_of(result, "rectangle"));
  EXPECT_LT(error_of(result, "table-fetch"), 1e-6);
  const Json coarse = document_of({"integral", "--stage", "table", "--texels", "8", "--n", "100000"});
  EXPECT_GT(error_of(coarse, "table-filter"), 1e-5);
}

TEST(IntegralFromATable, IsAnOption) {
  const Json result = document_of({"integral", "--stage", "rectangle,table", "--table", "none"});
  for (const Json& run : result["runs"]) EXPECT_FALSE(run["name"].get<std::string>().starts_with("table"));
}

TEST(IntegralFromATable, AnyFunctionAndSizePasses) {
  for (const char* texels : {"1", "2", "77"})
    for (const char* f : {"sin(40*x)", "exp(x)", "kink"})
      EXPECT_EQ(document_of(
                    {"integral", "--stage", "table", "--f", f, "--texels", texels, "--n", "1000"})["verdict"],
                "pass")
          << f << " " << texels;
}

TEST(Memory, WalksThroughATexture) {
  const Json run = document_of({"memory", "--stage", "latency-texture", "--steps", "100"})["runs"][0];
  EXPECT_EQ(run["verdict"], "pass");
  EXPECT_EQ(run["counters"]["ptx_texture_requests"], 100);
}

}  // namespace
}  // namespace cudalab::e2e
