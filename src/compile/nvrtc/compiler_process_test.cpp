// Tests that compiling never harms this process, whatever happens to the compiler.
#include "compile/nvrtc/compiler_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <climits>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <set>
#include <thread>

#include "compile/diagnosis_testing.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"
#include "messages/compile.h"

namespace cudalab::compile {
namespace {
namespace fs = std::filesystem;
using testing::HasSubstr;

// The compiler processes that this process started.
std::vector<pid_t> servers() {
  std::vector<pid_t> found;
  for (const fs::path& process : read_folder("/proc").entries) {
    const std::string words = read_file(process / "cmdline").value_or("");
    const std::string parent = "\nPPid:\t" + std::to_string(::getpid()) + "\n";
    if (words.find("--serve-compiler") != std::string::npos &&
        read_file(process / "status").value_or("").find(parent) != std::string::npos)
      found.push_back(std::atoi(process.filename().c_str()));
  }
  return found;
}

// Waits for a server, because a process has its own command line only after it has begun.
std::vector<pid_t> begun_servers() {
  for (int i = 0; i < 500 && servers().empty(); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  return servers();
}

bool took_a_second(const Message& stop) {
  return testing::Matches(MentionsMessage("compiler_took_time", {{"seconds", 1.0}}))(stop);
}

class CompilerProcess : public testing::Test {
 protected:
  void SetUp() override {
    ::setenv("CUDALAB_CACHE_DIR", (folder_ / "cache").c_str(), 1);
    found_ = found_nvrtc();
    if (!found_.is_found()) GTEST_SKIP() << "NVRTC is not installed";
  }
  void TearDown() override {
    for (const char* variable : {"CUDALAB_CACHE_DIR", "CUDALAB_COMPILE_SECONDS", "CUDALAB_COMPILE_MIB"})
      ::unsetenv(variable);
  }

  NvrtcTask task(const std::string& source) const {
    return {.library = found_.path, .folder = folder_.path(), .source = source, .file_name = "a.cu"};
  }
  // Why the compiler was stopped; empty if it completed.
  Message stop_of(const std::string& source) const {
    const Diagnosis stopped = diagnosis_of([&] { compile_aside(task(source)); });
    EXPECT_TRUE(stopped.instead.empty() || stopped.where == SourceLine{"a.cu"});
    return stopped.instead;
  }

  TemporaryFolder folder_;
  FoundNvrtc found_;
};

const std::string kSmallKernel = "__global__ void k(float* x) { x[0] = 1; }\n";
// Requires 2^40 template instances.
const std::string kEndless =
    "template <long A, long B> struct G { static constexpr long v = G<A - 1, 2 * B>::v + G<A - 1, 2 * B + "
    "1>::v; };\n"
    "template <long B> struct G<0, B> { static constexpr long v = B; };\n"
    "__global__ void k(long* x) { x[0] = G<40, 0>::v; }\n";

TEST_F(CompilerProcess, BringsPtxNamesAndLog) {
  NvrtcTask wanted = task("template <int N> __global__ void k(int* x) { int unused; x[0] = N; }\n");
  wanted.name_expressions = {"k<7>"};
  wanted.options = {"-DA=1"};
  wanted.headers = {{"a.h", "#define B 2\n"}};
  wanted.source = "#include \"a.h\"\n" + wanted.source + "static_assert(A + B == 3);\n";
  const NvrtcOutcome outcome = compile_aside(wanted);
  EXPECT_TRUE(outcome.compiled);
  EXPECT_THAT(outcome.ptx, HasSubstr(".entry " + outcome.lowered_names.at("k<7>")));
  EXPECT_THAT(outcome.log, HasSubstr("\"unused\" was declared but never referenced"));
}

TEST_F(CompilerProcess, SaysWhatIsWrongWithASource) {
  const NvrtcOutcome outcome = compile_aside(task("__global__ void k() { a; }\n"));
  EXPECT_FALSE(outcome.compiled);
  EXPECT_THAT(outcome.log, HasSubstr("identifier \"a\" is undefined"));
}

TEST_F(CompilerProcess, StaysWarm) {
  compile_aside(task(kSmallKernel));
  const std::vector<pid_t> before = servers();
  compile_aside(task(kSmallKernel));
  EXPECT_EQ(before.size(), 1u);
  EXPECT_EQ(servers(), before);
}

TEST_F(CompilerProcess, LeavesTheHandlersOfSignalsAlone) {
  for (const int number : {SIGINT, SIGTERM}) {
    std::signal(number, SIG_IGN);
    compile_aside(task(kSmallKernel));
    EXPECT_EQ(std::signal(number, SIG_DFL), SIG_IGN);
  }
}

TEST_F(CompilerProcess, IsReplacedWhereItEndedMeanwhile) {
  compile_aside(task(kSmallKernel));
  for (const pid_t server : servers()) ::kill(server, SIGKILL);
  EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
}

// The end of one thread does not end the compiler of another.
TEST_F(CompilerProcess, BelongsToAThread) {
  std::vector<std::jthread> threads;
  for (int thread = 1; thread <= 3; ++thread)
    threads.emplace_back([this, thread] {
      for (int i = 0; i < 3 * thread; ++i) EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
    });
  threads.clear();
  EXPECT_LE(servers().size(), 1u);
}

// ---- when a process is replaced --------------------------------------------------------------------------

TEST_F(CompilerProcess, IsReplacedWhereTheLibraryOnTheDiskIsAnotherOne) {
  const fs::path other = folder_ / found_.path.filename();
  fs::create_symlink(found_.path, other);
  NvrtcTask wanted = task(kSmallKernel);
  wanted.library = other;
  EXPECT_TRUE(compile_aside(wanted).compiled);
  const std::vector<pid_t> before = servers();
  fs::remove(other);
  EXPECT_THROW(compile_aside(wanted), Error);
  EXPECT_NE(servers(), before);
  fs::create_symlink(found_.path, other);
  EXPECT_TRUE(compile_aside(wanted).compiled);
}

// NVRTC itself takes more than half of this memory.
TEST_F(CompilerProcess, IsReplacedWhereWhatItKeepsLeavesTooLittleRoom) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than any limit allows";
#endif
  ::setenv("CUDALAB_COMPILE_MIB", "200", 1);
  for (int i = 0; i < 2; ++i) {
    const std::vector<pid_t> before = servers();
    EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
    EXPECT_NE(servers(), before);
  }
}

// ---- a process that is lent to children ----------------------------------------------------------------

// Runs `work` in a forked child, and returns whether it succeeded.
bool child_does(const std::function<bool()>& work) {
  const pid_t child = ::fork();
  if (child == 0) ::_exit(work() ? 0 : 1);
  int status = 0;
  ::waitpid(child, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

TEST_F(CompilerProcess, ServesTheChildrenThatItIsLentTo) {
  lend_compiler();
  const std::vector<pid_t> lent = begun_servers();
  ASSERT_EQ(lent.size(), 1u);
  for (int i = 0; i < 2; ++i) {
    EXPECT_TRUE(
        child_does([this] { return compile_aside(task(kSmallKernel)).compiled && servers().empty(); }));
    lend_compiler();
    EXPECT_EQ(servers(), lent);
  }
}

TEST_F(CompilerProcess, IsNotSharedWithAChildThatItIsNotLentTo) {
  compile_aside(task(kSmallKernel));
  EXPECT_TRUE(
      child_does([this] { return compile_aside(task(kSmallKernel)).compiled && servers().size() == 1; }));
}

TEST_F(CompilerProcess, IsReplacedByTheChildWhereTheLentOneEnded) {
  lend_compiler();
  for (const pid_t server : begun_servers()) ::kill(server, SIGKILL);
  EXPECT_TRUE(
      child_does([this] { return compile_aside(task(kSmallKernel)).compiled && servers().size() == 1; }));
  lend_compiler();
  EXPECT_TRUE(child_does([this] { return compile_aside(task(kSmallKernel)).compiled && servers().empty(); }));
}

// A child that is killed leaves a process that is still working on its request.
TEST_F(CompilerProcess, IsReplacedWhereTheChildEndedInTheMiddle) {
  lend_compiler();
  const std::vector<pid_t> busy = begun_servers();
  const pid_t child = ::fork();
  if (child == 0) ::_exit(compile_aside(task(kEndless)).compiled);
  std::this_thread::sleep_for(std::chrono::milliseconds(100));
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  lend_compiler();
  EXPECT_EQ(begun_servers().size(), 1u);
  EXPECT_NE(begun_servers(), busy);
  EXPECT_TRUE(child_does([this] { return compile_aside(task(kSmallKernel)).compiled && servers().empty(); }));
}

TEST_F(CompilerProcess, SaysInAChildWhatItsOwnWouldSay) {
  ::setenv("CUDALAB_COMPILE_SECONDS", "1", 1);
  lend_compiler();
  EXPECT_TRUE(child_does([this] { return took_a_second(stop_of(kEndless)); }));
  lend_compiler();
  const pid_t lent = begun_servers().at(0);
  EXPECT_TRUE(child_does([this, lent] {
    const std::jthread crash([lent] {
      std::this_thread::sleep_for(std::chrono::milliseconds(100));
      ::kill(lent, SIGSEGV);
    });
    return took_a_second(stop_of(kEndless));
  }));
}

TEST_F(CompilerProcess, SaysWhereTheCompilerCrashed) {
  compile_aside(task(kSmallKernel));
  std::jthread crash([server = servers().at(0)] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    ::kill(server, SIGSEGV);
  });
  EXPECT_THAT(stop_of(kEndless),
              testing::AllOf(MentionsMessage("compiler_crashed"), HasArgument("how", "Segmentation fault")));
  EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
}

TEST_F(CompilerProcess, EndsWithinALimitOnTime) {
  ::setenv("CUDALAB_COMPILE_SECONDS", "1", 1);
  EXPECT_TRUE(took_a_second(stop_of(kEndless)));
  EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
}

TEST_F(CompilerProcess, EndsWithinALimitOnMemory) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than any limit allows";
#endif
  ::setenv("CUDALAB_COMPILE_MIB", "400", 1);
  std::string bomb;
  for (int i = 0; i < 10'000; ++i) bomb += "template<";
  EXPECT_THAT(stop_of(bomb),
              testing::AllOf(MentionsMessage("compiler_needed_memory"), HasArgument("mib", 400)));
  EXPECT_THAT(servers(), testing::IsEmpty()) << "nobody keeps so much memory";
  EXPECT_TRUE(compile_aside(task(kSmallKernel)).compiled);
}

// As if a part of NVRTC that cannot report it ran out of memory.
TEST_F(CompilerProcess, TakesACrashWithMuchMemoryForALackOfIt) {
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
  GTEST_SKIP() << "sanitizers take more memory than any limit allows";
#endif
  ::setenv("CUDALAB_COMPILE_MIB", "200", 1);
  lend_compiler();
  std::jthread crash([server = begun_servers().at(0)] {
    const auto resident_mib = [&] {
      const std::string status = read_file("/proc/" + std::to_string(server) + "/status").value_or("");
      const std::size_t at = status.find("VmRSS:");
      return at == std::string::npos ? INT_MAX : std::atoi(status.c_str() + at + 6) / 1024;
    };
    for (int i = 0; i < 1000 && resident_mib() < 60; ++i)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    ::kill(server, SIGSEGV);
  });
  EXPECT_THAT(stop_of(kEndless),
              testing::AllOf(MentionsMessage("compiler_needed_memory"), HasArgument("mib", 200)));
}

TEST_F(CompilerProcess, NamesALibraryThatDoesNotLoad) {
  const fs::path broken = folder_ / "libnvrtc.so.13";
  fs::copy_file(found_.path, broken);
  for (const std::uintmax_t size :
       {std::uintmax_t(0), std::uintmax_t(1000), fs::file_size(found_.path) / 2}) {
    fs::resize_file(broken, size);
    ::setenv("CUDALAB_NVRTC", folder_.path().c_str(), 1);
    const FoundNvrtc found = found_nvrtc();
    ::unsetenv("CUDALAB_NVRTC");
    EXPECT_FALSE(found.is_found());
    EXPECT_THAT(found.passed_over, testing::ElementsAre(HasArgument("library", broken.string()))) << size;
  }
}

// The process that loads the library ends, and the search is repeated without it.
TEST_F(CompilerProcess, PassesOverALibraryThatCrashesWhenItIsLoaded) {
  const fs::path source = folder_ / "crash.c", library = folder_ / "libnvrtc.so.13";
  std::ofstream(source)
      << "void abort(void);\n__attribute__((constructor)) static void crash(void) { abort(); }\n";
  const std::string build =
      "cc -shared -fPIC -o '" + library.string() + "' '" + source.string() + "' 2>/dev/null";
  if (std::system(build.c_str()) != 0) GTEST_SKIP() << "no C compiler";
  EXPECT_TRUE(child_does([&] {
    ::alarm(20);  // ends a search that repeats forever
    ::setenv("CUDALAB_NVRTC", folder_.path().c_str(), 1);
    const FoundNvrtc found = found_nvrtc();
    const Message crash = msg::library_crashes_when_loaded(library.string(), Message::verbatim("Aborted"));
    return !found.is_found() && found.passed_over == std::vector{crash};
  }));
}

}  // namespace
}  // namespace cudalab::compile
