// Tests that programs that cannot run are rejected in one line before they start, and that others are
// accepted.
#include "device/programs/program_objection.h"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>

#include "core/diagnostics/message_testing.h"
#include "core/processes/interruption.h"
#include "core/programs/elf_file.h"
#include "messages/device.h"

namespace cudalab::device {
namespace {

using testing::AllOf;

// Small programs whose files look like those that nvcc builds.
class ProgramObjection : public testing::Test {
 protected:
  void SetUp() override {
    if (!succeeds("cc --version")) GTEST_SKIP() << "no C compiler";
  }
  bool succeeds(const std::string& command) const {
    return std::system(
               fmt::format("cd {} && {} >/dev/null 2>&1", folder_.path().string(), command).c_str()) == 0;
  }
  // The objection to a program with device code, these functions and these linker options.
  Message objection(const std::string& functions, const std::string& options = "") const {
    std::ofstream(folder_ / "a.c") << "__attribute__((section(\".nv_fatbin\"))) int code = 1;\n"
                                   << functions << "int main() { return code; }\n";
    EXPECT_TRUE(succeeds("cc a.c -o a -Wl,--no-as-needed " + options));
    return objection_to("./a", MappedFile((folder_ / "a").c_str()).bytes());
  }
  // Makes a shared library with this name, and returns the option to link with it.
  std::string library(const std::string& name) const {
    EXPECT_TRUE(succeeds(fmt::format("cc -shared -x c /dev/null -o {0} -Wl,-soname,{0}", name)));
    return "-L. -l:" + name;
  }

  TemporaryFolder folder_{"cudalab-objection-"};
};

constexpr const char *kRegisters = "void __cudaRegisterFatBinary() {}\n",
                     *kOf13 = "void __cudaRegisterFatBinary() {}\nvoid __cudaGetKernel() {}\n";

TEST_F(ProgramObjection, AcceptsRunnablePrograms) {
  EXPECT_TRUE(objection(kOf13).empty());
  EXPECT_TRUE(objection("", library("libcudart.so.13")).empty());
  EXPECT_TRUE(objection(kOf13, library("libcuda.so.1")).empty());
  EXPECT_TRUE(objection(kOf13, library("libcublas.so.13")).empty());
}

TEST_F(ProgramObjection, NamesWhatIsMissing) {
  EXPECT_THAT(objection(kOf13, "-s"), IsMessage("program_stripped"));
  // NVIDIA's static runtime calls the driver API, but through tables that the virtual GPU lacks.
  EXPECT_THAT(objection(kOf13, "-s " + library("libcuda.so.1")), IsMessage("program_stripped"));
  EXPECT_THAT(objection(kRegisters),
              AllOf(IsMessage("program_too_old"), MentionsMessage("runtime_of_older_cuda")));
  EXPECT_THAT(objection("", library("libcudart.so.12")),
              AllOf(IsMessage("program_too_old"), HasArgument("runtime", "libcudart.so.12")));
  EXPECT_THAT(objection(kOf13, library("libcublas.so.12")),
              AllOf(IsMessage("program_too_old"), HasArgument("runtime", "libcublas.so.12")));
}

TEST_F(ProgramObjection, NamesTheLibrary) {
  EXPECT_THAT(objection(kOf13, library("libcublasLt.so.13")),
              AllOf(IsMessage("program_needs_library"), HasArgument("library", "libcublasLt.so.13"),
                    HasArgument("reason", msg::library_calls_driver("cuBLASLt"))));
  EXPECT_THAT(objection(kOf13, library("libglut.so.3")), MentionsMessage("library_draws"));
}

}  // namespace
}  // namespace cudalab::device
