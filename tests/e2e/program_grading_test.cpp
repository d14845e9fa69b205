// `cudalab grade` with whole programs: honest ones, and ones that try to get points by forgery. Skipped by
// name if there is no sandbox, nvcc or runtime.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <chrono>
#include <nlohmann/json.hpp>

#include "compile/nvcc.h"
#include "core/diagnostics/message_testing.h"
#include "core/processes/child_pool.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;
using testing::HasSubstr;
using testing::Not;

const fs::path kVectorAdd = kLabs / "program" / "exercise" / "vector-add";

// A kernel that meets the exercise, and the beginning of every program here.
const std::string kKernel =
    "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"
    "__global__ void add(const float* a, const float* b, float* c, int n) {\n"
    "  int i = blockIdx.x * blockDim.x + threadIdx.x;\n"
    "  if (i < n) c[i] = a[i] + b[i];\n}\n";
const std::string kNoKernel =
    "#include <cstdio>\n#include <cstdlib>\n#include <vector>\n"
    "__global__ void add(const float* a, const float* b, float* c, int n) {}\n";
// Computes the right output without a device.
const std::string kOnTheHost =
    "void answer() {\n  int n; scanf(\"%d\", &n);\n  std::vector<float> a(n), b(n);\n"
    "  for (float& x : a) scanf(\"%f\", &x);\n  for (float& x : b) scanf(\"%f\", &x);\n"
    "  for (int i = 0; i < n; ++i) printf(\"%g\\n\", a[i] + b[i]);\n}\n";

class ProgramGrading : public testing::Test {
 protected:
  void SetUp() override {
    if (!compile::find_nvcc() || !fs::exists(fs::path(CUDALAB_BINARY_DIR) / "runtime" / "libcudart.so.13"))
      GTEST_SKIP() << "nvcc is not installed, or the runtime was not built";
    if (const Message objection = objection_to_sandbox(); !objection.empty())
      GTEST_SKIP() << objection.text();
    fs::create_directories(folder_ / "class");
  }
  void hand_in(const std::string& student, const std::string& source) {
    write_file(folder_ / "class" / (student + ".cu"), source);
  }
  // Grades by student, then by mark.
  std::map<std::string, Json> grades(const char* cpu = "60", const char* seconds = "200") {
    const Outcome outcome = cudalab({"grade", "class", "--exercise", "vector-add", "--format", "json",
                                     "--cpu", cpu, "--seconds", seconds, "--jobs", "2"},
                                    {.folder = folder_.path()});
    std::map<std::string, Json> found;
    const Json document = Json::parse(outcome.out);
    for (const Json& grade : document["grades"]) found[grade["student"]] = grade;
    return found;
  }
  static double points(const Json& grade, const std::string& mark) {
    for (const Json& one : grade["marks"])
      if (one["name"] == mark) return one["points"];
    ADD_FAILURE() << "no mark " << mark << " in " << grade.dump(1);
    return -1;
  }
  static std::string said(const Json& grade, const std::string& mark) {
    for (const Json& one : grade["marks"])
      if (one["name"] == mark) return one["sentence"];
    return "";
  }
  Folder folder_;
};

TEST_F(ProgramGrading, HonestOnesGetWhatTheyDeserve) {
  hand_in("ada", read_file(kVectorAdd / "solution.cu"));
  hand_in("bob", read_file(kVectorAdd / "wrong" / "missing_copy_back.cu"));
  hand_in("eve", read_file(kVectorAdd / "wrong" / "no_bounds.cu"));
  const auto found = grades();
  EXPECT_EQ(found.at("ada")["points"], found.at("ada")["most"]) << found.at("ada").dump(1);
  EXPECT_EQ(points(found.at("bob"), "right results"), 0);
  EXPECT_EQ(found.at("bob")["points"], 0) << "right results are the gate, though the kernel alone has them";
  EXPECT_EQ(points(found.at("eve"), "the kernel alone: no hazards"), 0);
  EXPECT_THAT(said(found.at("eve"), "the kernel alone: no hazards"), HasSubstr("one past its last element"));
}

TEST_F(ProgramGrading, WhatAProgramTellsOfItselfIsWorthNothing) {
  hand_in("honest", read_file(kVectorAdd / "solution.cu"));
  hand_in("leaks", read_file(kVectorAdd / "wrong" / "leak.cu"));
  const auto found = grades();
  int told = 0;
  for (const Json& mark : found.at("honest")["marks"])
    if (mark["name"].get<std::string>().starts_with("as the program tells: ")) {
      EXPECT_EQ(mark["most"], 0) << mark;
      ++told;
    }
  EXPECT_GT(told, 0);
  EXPECT_EQ(found.at("leaks")["points"], found.at("honest")["points"]);
  EXPECT_THAT(said(found.at("leaks"), "as the program tells: frees everything"),
              HasSubstr("needs its cudaFree"));
}

// Neither a constant nor the report can produce the expected output.
TEST_F(ProgramGrading, ForgersGetNoPointsForWhatTheyForge) {
  hand_in("prints", kNoKernel + "int main() { for (int i = 0; i < 20000; ++i) puts(\"1\"); }\n");
  hand_in("leaves", kNoKernel +
                        "#include <unistd.h>\n__attribute__((constructor)) void leave() { _exit(0); }\n"
                        "int main() {}\n");
  hand_in("records",
          kNoKernel +
              "#include <cstring>\n#include <sys/socket.h>\n#include <sys/un.h>\n#include <unistd.h>\n"
              "int main() {\n  int s = socket(AF_UNIX, SOCK_STREAM, 0);\n  sockaddr_un to{};\n"
              "  to.sun_family = AF_UNIX;\n  strcpy(to.sun_path, getenv(\"CUDALAB_RECORDS\"));\n"
              "  connect(s, (sockaddr*)&to, sizeof to);\n"
              "  char launch[200] = {(char)196, 0, 0, 0, 2};\n  write(s, launch, sizeof launch);\n"
              "  for (int fd = 0; fd < 64; ++fd) write(fd, launch, sizeof launch);\n}\n");
  hand_in("kills", kNoKernel +
                       "#include <csignal>\n#include <unistd.h>\n"
                       "int main() { kill(getppid(), SIGKILL); kill(-1, SIGKILL); }\n");
  hand_in("traces", kNoKernel +
                        "#include <sys/ptrace.h>\n#include <unistd.h>\n"
                        "int main() { for (int p = 1; p < 100000; ++p)\n"
                        "  if (p != getpid()) ptrace(PTRACE_ATTACH, p, 0, 0);\n}\n");
  hand_in("preloads",
          kNoKernel +
              "#include <unistd.h>\nint main(int, char** words) {\n"
              "  if (!getenv(\"AGAIN\")) { setenv(\"AGAIN\", \"1\", 1); unsetenv(\"LD_PRELOAD\");\n"
              "    execv(\"/proc/self/exe\", words); }\n  puts(\"0\");\n}\n");
  for (const auto& [student, grade] : grades()) {
    EXPECT_EQ(points(grade, "right results"), 0) << student;
    EXPECT_EQ(points(grade, "the kernel alone: right results"), 0) << student;
    EXPECT_EQ(grade["problem"], "") << student << ": the grader got to its end";
  }
}

// What the host computes earns nothing: it does not depend on what kernels leave in device memory.
TEST_F(ProgramGrading, EntryPointsOfItsOwnMakeNoKernelRight) {
  hand_in("overrides", kNoKernel + kOnTheHost +
                           "extern \"C\" int forged(void** p, size_t) asm(\"cudaMalloc\");\n"
                           "int forged(void** p, size_t) { *p = nullptr; return 0; }\n"
                           "int main() { void* p; cudaMalloc(&p, 4); answer(); }\n");
  const Json grade = grades().at("overrides");
  EXPECT_EQ(points(grade, "right results"), 0);
  EXPECT_EQ(points(grade, "the kernel alone: right results"), 0);
  EXPECT_EQ(points(grade, "as the program tells: launches a kernel"), 0);
}

TEST_F(ProgramGrading, SeesNoFilesAndReachesNoNetwork) {
  write_file(folder_ / "secret.txt", "secret");
  hand_in("reads", kKernel + kOnTheHost + "int main() {\n  for (const char* name : {\"" +
                       (folder_ / "secret.txt").string() + "\", \"" +
                       (folder_ / "class" / "reads.cu").string() +
                       "\", \"/root\", \"/home\", \"/etc/passwd\", \"/var\"})\n"
                       "    if (fopen(name, \"r\")) answer();\n  return 3;\n}\n");
  hand_in("calls", kKernel + kOnTheHost +
                       "#include <arpa/inet.h>\n#include <netinet/in.h>\n#include <sys/socket.h>\n"
                       "int main() {\n  int s = socket(AF_INET, SOCK_DGRAM, 0);\n  sockaddr_in to{};\n"
                       "  to.sin_family = AF_INET;\n  to.sin_port = htons(53);\n"
                       "  inet_pton(AF_INET, \"192.0.2.1\", &to.sin_addr);\n"
                       "  if (connect(s, (sockaddr*)&to, sizeof to) == 0) answer();\n  return 3;\n}\n");
  hand_in("includes", "#include \"" + (folder_ / "secret.txt").string() + "\"\nint main() {}\n");
  const auto found = grades();
  for (const char* student : {"reads", "calls"}) {
    EXPECT_EQ(points(found.at(student), "right results"), 0) << student;
    EXPECT_THAT(said(found.at(student), "right results"), HasSubstr("exit code 3")) << student;
  }
  EXPECT_EQ(points(found.at("includes"), "compiles"), 0);
  EXPECT_THAT(found.at("includes").dump(), Not(HasSubstr("secret\\n")));
}

TEST_F(ProgramGrading, BombsEndAndTheClassIsGraded) {
  hand_in("ada", read_file(kVectorAdd / "solution.cu"));
  hand_in("bomb", kKernel + "#include <unistd.h>\nint main() { for (;;) fork(); }\n");
  hand_in("sleeps", kKernel + "#include <unistd.h>\nint main() { for (;;) pause(); }\n");
  hand_in("writes", kKernel + "int main() { for (;;) puts(\"0\"); }\n");
  const auto began = std::chrono::steady_clock::now();
  const auto found = grades("15", "50");  // two of these programs run until a limit ends them
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(150));
  EXPECT_EQ(found.at("ada")["points"], found.at("ada")["most"]);
  for (const char* student : {"bomb", "sleeps", "writes"})
    EXPECT_EQ(points(found.at(student), "right results"), 0) << student;
}

TEST(ProgramGradingWithoutSandbox, IsRefusedInOneLine) {
  if (!compile::find_nvcc()) GTEST_SKIP() << "nvcc is not installed";
  Folder folder;
  for (const char* name : {"vector-add.cu", "lovelaceada_123_4567_vector-add-1.cu"}) {
    fs::copy_file(kVectorAdd / "solution.cu", folder / name);
    const Outcome outcome = by_ids(
        {"grade", name}, {.environment = {{"CUDALAB_BWRAP", "/nonexistent/bwrap"}}, .folder = folder.path()});
    EXPECT_EQ(outcome.code, 3) << name;
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
    EXPECT_THAT(outcome.err, Says("sandbox_lacks_bubblewrap", {{"tool", "/nonexistent/bwrap"}}));
  }
}

}  // namespace
}  // namespace cudalab::e2e
