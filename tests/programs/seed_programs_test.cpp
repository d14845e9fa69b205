// The whole programs beside the labs: built unchanged, and run on the virtual GPU and, if there is one, on a
// GPU.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <set>

#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;

struct SeedProgram {
  const char* file;  // below labs/
  std::vector<std::string> arguments;
  const char* output;
};

const SeedProgram kSeedPrograms[]{
    {"read-offset/program/read_offset.cu", {}, "offset 11: 0 of 262144 elements are wrong\n"},
    {"read-offset/program/read_offset.cu", {"128", "256"}, "offset 128: 0 of 262144 elements are wrong\n"},
    {"matvec/program/mean_product_1.cu", {"2"}, "2 matrices: right\n"},
    {"matvec/program/mean_product_2.cu", {"3"}, "3 matrices: right\n"},
    {"sort/program/cub_sort.cu", {"5000"}, "5000 keys: right\n"},
    {"spmv/program/cusparse_spmv.cu", {"2000"}, "2000 rows, 17984 entries: right\n"},
    {"texture/program/texture_dot.cu",
     {"10000"},
     "dot product -16, expected -16; between two elements 0.5, expected 0.5\n"},
};

std::vector<std::string> with_arguments(std::vector<std::string> words, const SeedProgram& program) {
  words.insert(words.end(), program.arguments.begin(), program.arguments.end());
  return words;
}

TEST(SeedPrograms, AllStandInTheTable) {
  std::set<std::string> known;
  for (const SeedProgram& program : kSeedPrograms) known.insert(program.file);
  for (const fs::directory_entry& entry : fs::recursive_directory_iterator(kLabs))
    if (entry.path().extension() == ".cu" && entry.path().parent_path().filename() == "program" &&
        entry.path().parent_path().parent_path() != kLabs) {
      EXPECT_TRUE(known.contains(fs::relative(entry.path(), kLabs).generic_string())) << entry.path();
    }
}

TEST(SeedPrograms, RunUnmodifiedOnTheVirtualGpu) {
  const bool can_run =
      compile::find_nvcc() && fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13");
  if (!can_run) GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
  for (const SeedProgram& program : kSeedPrograms) {
    const Outcome outcome = by_ids(with_arguments({"run", (kLabs / program.file).string(), "--"}, program));
    EXPECT_EQ(outcome.out, program.output) << program.file;
    EXPECT_EQ(outcome.code, 0) << program.file << "\n" << outcome.err;
    EXPECT_THAT(outcome.err, testing::Not(Says("note_never_freed"))) << program.file;
  }
}

TEST(SeedPrograms, RunOnACard) {
  const auto nvcc = compile::find_nvcc();
  if (!nvcc || !fs::exists("/dev/nvidia0")) GTEST_SKIP() << "there is no card, or no nvcc";
  Folder folder;
  for (const SeedProgram& program : kSeedPrograms) {
    const std::string built = (folder / "program").string();
    ASSERT_EQ(run_command({nvcc->string(), "-o", built, (kLabs / program.file).string()}).code, 0);
    const Outcome outcome = run_command(with_arguments({built}, program));
    EXPECT_EQ(outcome.out, program.output) << program.file;
    EXPECT_EQ(outcome.code, 0) << program.file;
  }
}

}  // namespace
}  // namespace cudalab::e2e
