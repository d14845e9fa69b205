// Tests that every way to include a file outside the toolkit is rejected, and that ordinary kernels are
// accepted.
#include "grading/safe_compile.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"

namespace cudalab::grading {

namespace {

using testing::AllOf;

TEST(KernelIncludes, AllowsTheToolkitsHeaders) {
  for (const char* source :
       {"", "__global__ void k() {}", "#include <cuda_fp16.h>\n#include \"cooperative_groups.h\"\n",
        "  #  include <cuda/std/limits>\n", "#include<mma.h>", "#define X(a) #a\n",
        "#pragma unroll\n#if 1\n#endif", "// see ../README.md\n#define INCLUDE 3\n#include_me_not\n",
        "int a = b % c; x ? y:z; \"%:\"", "%:include <mma.h>"})
    EXPECT_TRUE(refused_include(source).empty()) << source;
}

TEST(KernelIncludes, RefusesEverythingElse) {
  for (const char* source : {"#include \"/etc/passwd\"",
                             "#include </etc/passwd>",
                             "# include\t\"/etc/passwd\"",
                             "#/**/include/**/\"/etc/passwd\"",
                             "#/*\n\n*/include \"/etc/passwd\"",
                             "%:include \"/etc/passwd\"",
                             "#incl\\\nude \"/etc/passwd\"",
                             "#incl\\ \t\nude \"/etc/passwd\"",
                             "#incl\\\r\nude \"/etc/passwd\"",
                             "#\\\ninclude \"/etc/passwd\"",
                             "#include \"../../secret.h\"",
                             "#include <cuda/../../x.h>",
                             "#define F </etc/passwd>\n#include F",
                             "#include EMPTY \"/etc/passwd\"",
                             "#include",
                             "#include \\\n\"/etc/passwd\"",
                             "#include_next <x.h>",
                             "#import \"x.h\"",
                             "#embed \"/etc/passwd\"",
                             "#if __has_include(\"/etc/passwd\")\n#endif",
                             "#if __has_\\\ninclude(\"/etc/shadow\")",
                             "#define CAT(a, b) a##b\n#if CAT(__, has_include)(\"/etc/passwd\")",
                             "R\"x( /* )x\"; \n#include \"/etc/passwd\"\n// */",
                             "/* \n#include \"/etc/passwd\" */",
                             "\"\\\"\n#include \"/etc/passwd\"",
                             "?\?=include \"/etc/passwd\"",
                             "#include \"file:///etc/passwd\"",
                             "#include \"\\\\host\\share\"",
                             "#include \"/dev/stdin\"",
                             "#include \"/proc/self/environ\""})
    EXPECT_FALSE(refused_include(source).empty()) << source;
  EXPECT_THAT(refused_include(std::string_view("#inc\0lude", 9)), IsMessage("source_holds_zero_byte"));
}

TEST(KernelIncludes, NamesTheLineAndTheHeader) {
  EXPECT_THAT(refused_include("\n\n#include \"/etc/passwd\"\n"),
              AllOf(MentionsMessage("include_of_other_file"), HasArgument("line", 3),
                    HasArgument("header", "/etc/passwd")));
  EXPECT_THAT(refused_include("#include X"),
              AllOf(MentionsMessage("include_by_macro"), HasArgument("line", 1)));
}

TEST(KernelIncludes, TakesLinearTimeForLongTexts) {
  std::string text;
  for (int i = 0; i < 100'000; ++i) text += "#/*";
  for (int i = 0; i < 100'000; ++i) text += "/*#/**/";
  EXPECT_TRUE(refused_include(text).empty());
  EXPECT_FALSE(refused_include(text + "*/#include \"/etc/passwd\"").empty());
}

}  // namespace
}  // namespace cudalab::grading
