// The settings that editors get for a learner's folder, and the output of checks that they read.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

TEST(Editors, AreToldWhatTheLabCompilesWith) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  ASSERT_EQ(cudalab({"start", "padded-tile", "--into", ".", "--editor", "vscode"}, there).code, 0);
  const std::string clangd = read_file(folder.path() / ".clangd");
  EXPECT_THAT(clangd, testing::HasSubstr("PathMatch: 'transpose/padded-tile\\.cu'\n"));
  EXPECT_THAT(clangd, testing::HasSubstr("'-DTYPE=float', '-DTILE=32'"));
  write_file(folder.path() / ".vscode" / "tasks.json", "{}\n");
  const Outcome again = by_ids({"start", "transpose", "--editor", "vscode"}, there);
  EXPECT_THAT(again.err, Says("start_file_kept", {{"file", ".vscode/tasks.json"}}));
  EXPECT_EQ(read_file(folder.path() / ".vscode" / "tasks.json"), "{}\n");
  EXPECT_GT(read_file(folder.path() / ".clangd").size(), clangd.size());
}

TEST(Editors, GetTheExtensionFromThePackage) {
  Folder folder;
  std::filesystem::create_directory(folder.path() / "bin");
  write_file(folder.path() / "bin" / "code", "#!/bin/sh\necho \"$@\" > \"$(dirname \"$0\")/called\"\n");
  std::filesystem::permissions(folder.path() / "bin" / "code", std::filesystem::perms::owner_all);
  const Settings there{.environment = {{"PATH", (folder.path() / "bin").string() + ":/usr/bin:/bin"}},
                       .folder = folder.path()};
  const Outcome outcome = by_ids(
      {"start", "padded-tile", "--into", "course", "--editor", "vscode", "--install-extension"}, there);
  EXPECT_TRUE(std::filesystem::exists(folder.path() / "course" / ".vscode" / "extensions.json"));
  if (outcome.code == 0)  // where an archive has been made
    EXPECT_THAT(read_file(folder.path() / "bin" / "called"), testing::HasSubstr("--install-extension "));
  else
    EXPECT_THAT(outcome.err, testing::HasSubstr("start_extension_missing"));
}

TEST(Editors, ClangdReadsAKernelWithoutAnError) {
  if (run_command({"clangd", "--version"}).code != 0) GTEST_SKIP() << "clangd is not installed";
  Folder folder;
  ASSERT_EQ(
      cudalab({"start", "padded-tile", "--into", ".", "--editor", "clangd"}, {.folder = folder.path()}).code,
      0);
  const Outcome read =
      run_command({"clangd", "--check=" + (folder.path() / "transpose/padded-tile.cu").string()});
  EXPECT_EQ(read.code, 0) << read.err;
  EXPECT_THAT(read.err, testing::HasSubstr("All checks completed, 0 errors"));
}

TEST(Editors, ReadWhatACheckFoundAsACompilersLines) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  ASSERT_EQ(cudalab({"start", "padded-tile", "--into", "."}, there).code, 0);
  const std::filesystem::path wrong =
      std::filesystem::path(CUDALAB_SOURCE_DIR) / "labs/transpose/exercise/padded-tile/wrong";
  const std::filesystem::path file = folder.path() / "transpose/padded-tile.cu";
  for (const auto& [name, said] :
       {std::pair{"missing_barrier.cu", "error: `transpose` "}, {"does_not_compile.cu", "error: "}}) {
    write_file(file, read_file(wrong / name));
    const Outcome outcome = cudalab({"check", "--format", "gcc"}, there);
    EXPECT_EQ(outcome.code, 1);
    EXPECT_THAT(outcome.out,
                testing::ContainsRegex("^transpose/padded-tile.cu:[0-9]+:[0-9]+: " + std::string(said)));
  }
  write_file(file, read_file(wrong.parent_path() / "solution.cu"));
  const Outcome passed = cudalab({"check", "--format", "gcc"}, there);
  EXPECT_EQ(passed.code, 0);
  EXPECT_EQ(passed.out, "");
}

// This kernel omits the last row: wrong results without a hazard.
constexpr const char* kWrongRow =
    CUDALAB_SOURCE_DIR "/labs/transpose/exercise/padded-tile/wrong/off_by_one.cu";

TEST(Editors, ReadTheLineOfAMistake) {
  Folder folder;
  const Settings there{.folder = folder.path()};
  const std::vector<std::string> check{"check", kWrongRow, "--exercise", "padded-tile", "--seed", "1"};
  const auto checked = [&](std::vector<std::string> more) {
    more.insert(more.begin(), check.begin(), check.end());
    return by_ids(more, there).out;
  };
  const auto document = nlohmann::json::parse(checked({"--json"}));
  const auto& repair = document["checks"][0]["repair"];
  EXPECT_EQ(repair["kind"], "comparison");
  EXPECT_THAT(checked({"--format", "gcc"}),
              testing::HasSubstr(fmt::format("off_by_one.cu:{}:", repair["line"].get<int>())));
  EXPECT_FALSE(nlohmann::json::parse(checked({"--json", "--no-search"}))["checks"][0].contains("repair"));
}

TEST(Editors, ReadACheckAsJson) {
  if (run_command({"python3", "-c", "import jsonschema"}).code != 0)
    GTEST_SKIP() << "python3-jsonschema is not installed (scripts/setup installs it)";
  Folder folder;
  const Settings there{.folder = folder.path()};
  ASSERT_EQ(cudalab({"start", "transpose", "--into", "."}, there).code, 0);
  const Outcome several = cudalab({"check", "transpose", "--json"}, there);
  EXPECT_EQ(several.code, 1);
  const Outcome repaired = cudalab({"check", kWrongRow, "--exercise", "padded-tile", "--json"}, there);
  for (const std::string& document : {several.out, repaired.out}) {
    write_file(folder.path() / "checks.json", document);
    const Outcome valid =
        run_command({"python3", "-c",
                     "import json, sys, jsonschema\n"
                     "schema = json.load(open(sys.argv[1]))\n"
                     "jsonschema.Draft202012Validator.check_schema(schema)\n"
                     "document = json.load(open(sys.argv[2]))\n"
                     "jsonschema.Draft202012Validator(schema).validate(document)\n"
                     "assert len(document['checks']) > 1 or 'repair' in document['checks'][0]\n",
                     CUDALAB_SOURCE_DIR "/docs/check.schema.json", (folder.path() / "checks.json").string()});
    EXPECT_EQ(valid.code, 0) << valid.err;
  }
}

}  // namespace
}  // namespace cudalab::e2e
