// Tests how nvcc's command lines are read.
#include "compile/clang/nvcc_words.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/processes/interruption.h"

namespace cudalab::compile {
namespace {

using testing::ElementsAre;
using testing::Field;
using testing::IsEmpty;

class NvccWords : public testing::Test {
 protected:
  void SetUp() override {
    for (const char* name : {"a.cu", "b.cu", "c.cpp", "d.o", "libe.so.1", "notes.txt"})
      std::ofstream(folder_ / name) << "\n";
  }
  std::string file(const std::string& name) const { return (folder_ / name).string(); }
  NvccPlan plan(std::vector<std::string> words, const std::vector<std::string>& files = {"a.cu"}) const {
    for (const std::string& name : files) words.push_back(file(name));
    return nvcc_plan(words);
  }
  Message refusal(const std::vector<std::string>& words, const std::vector<std::string>& files = {"a.cu"}) {
    return refused([&] { plan(words, files); });
  }

  TemporaryFolder folder_;
};

TEST_F(NvccWords, OfAPlainCommandLineMakeAProgramForTheNewestArchitecture) {
  const NvccPlan made = plan({"-o", "prog"}, {"a.cu", "c.cpp", "d.o", "libe.so.1"});
  EXPECT_EQ(made.product, Product::kProgram);
  EXPECT_EQ(made.output, "prog");
  EXPECT_EQ(made.request.compute_major, 9);
  EXPECT_FALSE(made.is_relocatable);
  EXPECT_THAT(
      made.inputs,
      ElementsAre(Field(&InputFile::kind, InputKind::kCuda), Field(&InputFile::kind, InputKind::kHost),
                  Field(&InputFile::kind, InputKind::kLinked), Field(&InputFile::kind, InputKind::kLinked)));
}

TEST_F(NvccWords, GiveTheValueOfAnOptionInEachOfNvccsSpellings) {
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"-std=c++20"}, {"-std", "c++20"}, {"--std=c++20"}, {"--std", "c++20"}})
    EXPECT_THAT(plan(words).sources, ElementsAre("-std=c++20"));
  EXPECT_THAT(plan({"-Iinc", "-I", "more", "--include-path=third"}).sources,
              ElementsAre("-Iinc", "-Imore", "-Ithird"));
  EXPECT_THAT(plan({"-DN=4", "-D", "M=a=b", "-O2"}).sources, ElementsAre("-DN=4", "-DM=a=b", "-O2"));
  EXPECT_THAT(plan({"-Llib", "-lm", "-Xlinker", "-rpath=x", "-shared"}).link,
              ElementsAre("-Llib", "-lm", "-Wl,-rpath=x", "-shared"));
}

TEST_F(NvccWords, PassTheHostCompilersOptionsToItsBothSteps) {
  const NvccPlan made = plan({"-Xcompiler", "-Wall,-fopenmp"});
  EXPECT_THAT(made.sources, ElementsAre("-Wall", "-fopenmp"));
  EXPECT_THAT(made.link, ElementsAre("-Wall", "-fopenmp"));
}

TEST_F(NvccWords, NameTheHighestArchitecture) {
  const auto architecture = [&](const std::vector<std::string>& words) {
    const NvccPlan made = plan(words);
    return 10 * made.request.compute_major + made.request.compute_minor;
  };
  EXPECT_EQ(architecture({"-arch=sm_75"}), 75);
  EXPECT_EQ(architecture({"-arch", "compute_80"}), 80);
  EXPECT_EQ(architecture({"-gencode", "arch=compute_70,code=sm_70",
                          "-gencode=arch=compute_86,code=[sm_86,compute_86]"}),
            86);
  EXPECT_EQ(architecture({"-arch=sm_90a"}), 90);
  EXPECT_EQ(architecture({"-arch=native"}), 90);
}

TEST_F(NvccWords, LinkWhatCudalabHasWithoutBeingAskedFor) {
  EXPECT_THAT(plan({"-lcudart", "-lcublas", "-lcurand", "-lcuda", "-lcudadevrt", "-lm"}).link,
              ElementsAre("-lm"));
  EXPECT_THAT(plan({"-lcufft", "-lcusparse", "-lcublasLt", "-lcusolver", "-lz"}).link, ElementsAre("-lz"));
}

TEST_F(NvccWords, ChooseWhatIsMade) {
  EXPECT_EQ(plan({"-c"}).product, Product::kObjects);
  EXPECT_EQ(plan({"--ptx"}).product, Product::kPtx);
  EXPECT_EQ(plan({"-dlink"}, {"d.o"}).product, Product::kDeviceLink);
  EXPECT_TRUE(plan({"-dc"}).is_relocatable);
  EXPECT_TRUE(plan({"-rdc=true"}).is_relocatable);
  EXPECT_FALSE(plan({"-rdc=false"}).is_relocatable);
  EXPECT_THAT(plan({"-G", "-use_fast_math"}).request.options, ElementsAre("-G", "-use_fast_math"));
}

TEST_F(NvccWords, NameTheProductAsNvccDoes) {
  const NvccPlan objects = plan({"-c"}, {"a.cu", "c.cpp"});
  EXPECT_EQ(objects.output_for(objects.inputs[0]), "a.o");
  EXPECT_EQ(objects.output_for(objects.inputs[1]), "c.o");
  const NvccPlan ptx = plan({"-ptx"});
  EXPECT_EQ(ptx.output_for(ptx.inputs[0]), "a.ptx");
}

TEST_F(NvccWords, ThatOnlyConcernNvccItselfHaveNoEffect) {
  const NvccPlan made =
      plan({"-Xptxas", "-v", "-lineinfo", "--expt-relaxed-constexpr", "--extended-lambda", "-maxrregcount=32",
            "-ccbin", "g++-12", "-cudart", "static", "-m64", "-t", "0"});
  EXPECT_THAT(made.sources, IsEmpty());
  EXPECT_THAT(made.link, IsEmpty());
  EXPECT_THAT(made.request.options, IsEmpty());
  EXPECT_EQ(made.inputs.size(), 1u);
}

TEST_F(NvccWords, ThatAreWrongAreNamed) {
  EXPECT_THAT(refusal({"-Wall"}), IsMessage("cc_option_unknown"));
  EXPECT_THAT(refusal({"-cubin"}), IsMessage("cc_makes_no_machine_code"));
  EXPECT_THAT(refusal({}, {}), IsMessage("cc_input_missing"));
  EXPECT_THAT(refusal({"missing.cu"}), IsMessage("cc_input_not_found"));
  EXPECT_THAT(refusal({}, {"notes.txt"}), IsMessage("cc_input_unknown"));
  EXPECT_THAT(refusal({"-c", "-o", "x.o"}, {"a.cu", "b.cu"}), IsMessage("cc_output_for_several"));
  EXPECT_THAT(refusal({"-lib"}), IsMessage("cc_archive_unnamed"));
  EXPECT_THROW(nvcc_plan({file("a.cu"), "-o"}), Error);
}

}  // namespace
}  // namespace cudalab::compile
