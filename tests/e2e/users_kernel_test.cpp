// `--kernel FILE --as STAGE`: a file runs in the place of any stage of any lab, with the same result as the
// stage's own kernel.
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

Json runs_even_of_failed(std::vector<std::string> arguments) {
  arguments.insert(arguments.end(), {"--device", "virtual", "--json"});
  const Outcome outcome = cudalab(arguments);
  const Json document = Json::parse(outcome.out, nullptr, false);
  EXPECT_FALSE(document.is_discarded()) << outcome.err;
  return document.is_discarded() ? Json::array() : document["runs"];
}

// The names in the line "Stages: cpu, copy, naive" of the help.
std::set<std::string> stage_names(const std::string& lab) {
  const std::string help = cudalab({lab, "--help"}).out, title = "Stages: ";
  const std::size_t begin = help.find(title) + title.size();
  std::istringstream words(help.substr(begin, help.find('\n', begin) - begin));
  std::set<std::string> names;
  for (std::string word; words >> word;) names.insert(word.substr(0, word.find(',')));
  return names;
}

// The kernel files of the lab's default run by stage, where row and stage have the same name.
std::map<std::string, std::string> stages_of(const std::string& lab) {
  std::map<std::string, std::string> stages;
  const std::set<std::string> names = stage_names(lab);
  for (const Json& run : runs_even_of_failed({lab}))
    if (run.contains("source") && run["source"].is_string() && names.contains(run["name"]))
      stages[run["name"]] = (kSource / run["source"].get<std::string>()).string();
  return stages;
}

Json named(const Json& runs, const std::string& name) {
  for (const Json& run : runs)
    if (run["name"] == name) return run;
  return nullptr;
}

Json digest_of(const Json& run) { return run["check"].is_object() ? run["check"]["digest"] : Json(); }

class UsersKernel : public testing::TestWithParam<std::string> {};

TEST_P(UsersKernel, RunsInThePlaceOfEveryStage) {
  int compared = 0;
  for (const auto& [stage, file] : stages_of(GetParam())) {
    const Json runs = runs_even_of_failed(
        {GetParam(), "--stage", stage, "--kernel", file});  // --as defaults to the only selected stage
    const Json own = named(runs, stage), yours = named(runs, "yours");
    EXPECT_EQ(yours["verdict"], own["verdict"]) << stage << yours["reason"];
    EXPECT_EQ(yours["counters"], own["counters"]) << stage;
    EXPECT_EQ(yours["extra"], own["extra"]) << stage;  // the lab's own columns
    EXPECT_EQ(digest_of(yours), digest_of(own)) << stage;
    compared += !own.is_null();
  }
  EXPECT_GE(compared, 1);
}

std::string test_name(const testing::TestParamInfo<std::string>& info) {
  std::string name = info.param;
  std::replace(name.begin(), name.end(), '-', '_');
  return name;
}

INSTANTIATE_TEST_SUITE_P(OfEveryLab, UsersKernel, testing::ValuesIn(lab_names()), test_name);

// A kernel file that needs a folder of headers, C++20, and the compiler that the user selects.
TEST(UsersKernelFile, IsCompiledAsItsUserSays) {
  Folder folder;
  fs::create_directory(folder / "inc");
  write_file(folder / "inc" / "place.h",
             "template <class T> concept Index = sizeof(T) == 4;\n"
             "template <Index T> __device__ T place(T row, T col, T rows) { return col * rows + row; }\n");
  write_file(
      folder / "mine.cu",
      "#include \"place.h\"\n"
      "__global__ void transpose(const float* in, float* out, int rows, int cols) {\n"
      "  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.x + threadIdx.y;\n"
      "  for (int j = 0; j < blockDim.x; j += blockDim.y)\n"
      "    if (x < cols && y + j < rows) out[place(y + j, x, rows)] = in[(y + j) * cols + x];\n}\n");
  const Outcome outcome =
      cudalab({"transpose", "--rows",    "64",       "--cols",  "64",    "--device", "virtual",
               "--stage",   "naive",     "--kernel", "mine.cu", "--as",  "naive",    "--compiler",
               "nvrtc",     "--include", "inc",      "--std",   "c++20", "--json"},
              {.folder = folder.path()});
  const Json yours = named(Json::parse(outcome.out, nullptr, false)["runs"], "yours");
  EXPECT_EQ(yours["verdict"], "pass") << outcome.out << outcome.err;
  EXPECT_EQ(yours["compiler"], "nvrtc");
}

}  // namespace
}  // namespace cudalab::e2e
