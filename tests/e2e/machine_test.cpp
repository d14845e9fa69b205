// Machines on which something is missing or broken: what still works, and what is reported in one line.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/program_testing.h"
#include "tests/e2e/terminal_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

const std::vector<std::string> kSmallRun{"transpose", "--device", "virtual", "--stage",
                                         "naive",     "--rows",   "8"};

bool is_one_line(const std::string& text) { return text.find('\n') == text.size() - 1; }

// ---- threads that wait -----------------------------------------------------------------------------------

// What the OpenMP library prints about its settings each time that it starts.
std::string waiting_of(const std::string& verb, const std::string& policy = "") {
  Settings settings{.environment = {{"OMP_DISPLAY_ENV", "true"}}};
  if (!policy.empty()) settings.environment.emplace_back("OMP_WAIT_POLICY", policy);
  const std::string said = cudalab({verb, "nothing-of-this-name"}, settings).err;
  const std::size_t last = said.rfind("OMP_WAIT_POLICY = '");
  return last == std::string::npos ? "" : said.substr(last, said.find('\n', last) - last);
}

TEST(WaitingThreads, SleepWhereNoTimeIsTakenUnlessTheUserWantsOtherwise) {
  if (waiting_of("compare").empty()) GTEST_SKIP() << "built without OpenMP";
  EXPECT_THAT(waiting_of("check"), HasSubstr("PASSIVE"));
  EXPECT_THAT(waiting_of("author"), HasSubstr("PASSIVE"));
  EXPECT_THAT(waiting_of("check", "active"), HasSubstr("ACTIVE"));
  EXPECT_EQ(waiting_of("check", "active"), waiting_of("transpose", "active"));
}

// ---- the compiler ------------------------------------------------------------------------------------

// A library with NVRTC's name that has only one of its functions.
class BrokenNvrtc : public testing::Test {
 protected:
  void SetUp() override {
    if (cudalab({"doctor"}).code != 0) GTEST_SKIP() << "NVRTC is not installed";
    fs::create_directories(library_.parent_path());
    write_file(folder_ / "broken.c",
               "int nvrtcVersion(int* major, int* minor) { return *major = *minor = 0; }");
    const Outcome built = run_command({"cc", "-shared", "-fPIC", "-Wl,-soname,libnvrtc.so.13", "-o",
                                       library_.string(), (folder_ / "broken.c").string()});
    if (built.code != 0) GTEST_SKIP() << "no C compiler: " << built.err;
  }

  testing::Matcher<std::string> lacks_a_function() const {
    return Says("library_lacks_function",
                {{"library", library_.string()}, {"function", "nvrtcGetNumSupportedArchs"}});
  }

  Folder folder_;
  fs::path library_ = folder_ / "lib64/libnvrtc.so.13";
};

TEST_F(BrokenNvrtc, IsPassedOverForAGoodOneAndNamed) {
  const Settings broken_first{.environment = {{"CUDA_HOME", folder_.path().string()}}};
  const Outcome doctor = by_ids({"doctor"}, broken_first);
  EXPECT_EQ(doctor.code, 0) << doctor.out;
  EXPECT_THAT(doctor.out, lacks_a_function());
  EXPECT_EQ(cudalab(kSmallRun, broken_first).code, 0);
}

TEST_F(BrokenNvrtc, IsNamedWhereThereIsNoOther) {
  const Outcome outcome = by_ids(kSmallRun, {.environment = {{"CUDALAB_NVRTC", library_.string()}}});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_THAT(outcome.err, lacks_a_function());
}

// Loading this library crashes the process, as with a library that was truncated by an incomplete copy.
TEST(CrashingLibrary, EndsNobodyWhoLooksForIt) {
  Folder folder;
  fs::create_directories(folder / "lib64");
  write_file(folder / "crash.c",
             "__attribute__((constructor)) static void crash(void) { *(volatile int*)0 = 1; }");
  const auto build = [&](const char* name) {
    return run_command(
        {"cc", "-shared", "-fPIC", "-o", (folder / name).string(), (folder / "crash.c").string()});
  };
  if (build("lib64/libcublas.so.13").code != 0) GTEST_SKIP() << "no C compiler";
  build("libcuda.so.1");
  const Outcome doctor =
      by_ids({"doctor"}, {.environment = {{"CUDA_HOME", folder.path().string()},
                                          {"CUDALAB_CUDA_DRIVER", (folder / "libcuda.so.1").string()}}});
  EXPECT_THAT(doctor.code, testing::AnyOf(0, 3)) << doctor.err;  // 3 if there is no NVRTC
  for (const fs::path library : {"libcuda.so.1", "lib64/libcublas.so.13"})
    EXPECT_THAT(doctor.out, Says("library_stopped_when_loaded", {{"library", (folder / library).string()},
                                                                 {"signal", "Segmentation fault"}}));
}

TEST(NoCompiler, AuthorCheckSaysSoOnce) {
  const Outcome outcome = by_ids({"author", "check"}, {.environment = {{"CUDALAB_NVRTC", "/nonexistent"}}});
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, Says("nvrtc_place_unusable", {{"place", "/nonexistent"}}));
  EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
}

// As in a package: PTX that was compiled before, and no compiler.
TEST(NoCompiler, LabsRunWithTheKernelsThatCameCompiled) {
  if (!has_own_mounts()) GTEST_SKIP() << "mounts of our own are not allowed here";
  Folder folder;
  const std::pair<std::string, std::string> shipped{"CUDALAB_PTX", folder / "ptx"};
  const Outcome here = cudalab(kSmallRun, {.environment = {{"CUDALAB_KEEP_PTX", folder / "ptx"}}});
  ASSERT_EQ(here.code, 0) << here.err;
  const auto without_toolkit = [&](const std::string& words) {
    return in_own_mounts(
        "for folder in /usr/local /usr/lib/llvm-*; do mount -t tmpfs none $folder; done; exec " +
            std::string(CUDALAB_PROGRAM) + words,
        {.environment = {shipped, {"CUDALAB_CACHE_DIR", folder / "cache"}}});
  };
  const Outcome doctor = without_toolkit(" doctor");
  if (doctor.out.find("optional  NVRTC") == std::string::npos) GTEST_SKIP() << "a toolkit outside /usr/local";
  EXPECT_EQ(doctor.code, 0);
  EXPECT_THAT(unwrapped(doctor.out), AllOf(HasSubstr("install cuda-nvrtc-13-0 from NVIDIA's repository"),
                                           HasSubstr("with precompiled kernels")));
  std::string words;
  for (const std::string& word : kSmallRun) words += " " + word;
  const Outcome there = without_toolkit(words);
  EXPECT_EQ(there.code, 0) << there.err;
  EXPECT_THAT(there.out, HasSubstr("1 result is correct."));
  const Outcome other = without_toolkit(words + " --tile 7");
  EXPECT_EQ(other.code, 3) << "what is not among them needs a compiler";
  EXPECT_THAT(other.err, HasSubstr("`cudalab doctor` names the small package"));
}

// ---- the terminal ------------------------------------------------------------------------------------

std::string shown_on(const char* terminal_name, const std::vector<std::string>& arguments) {
  Folder folder;
  Terminal terminal(arguments, folder.path(), 100, terminal_name);
  EXPECT_EQ(terminal.wait(), 0) << terminal.everything();
  return terminal.everything();
}

TEST(LongOutput, GoesThroughThePagerOnATerminal) {
  Folder folder;
  const auto list_with = [&](const char* pager) {
    ::setenv("PAGER", pager, 1);
    Terminal terminal({"list"}, folder.path());
    const int code = terminal.wait();
    ::unsetenv("PAGER");
    EXPECT_EQ(code, 0);
    return terminal.everything();
  };
  EXPECT_THAT(list_with("sed 's/^/paged: /'"), HasSubstr("paged: transpose"));
  EXPECT_THAT(list_with("cat"), HasSubstr("\ntranspose"));
  EXPECT_THAT(list_with("no-such-program-here"), HasSubstr("\ntranspose"));
}

TEST(Escapes, GoOnlyToATerminalThatSaysItObeysThem) {
  EXPECT_THAT(shown_on("xterm", kSmallRun), HasSubstr("\x1b[32m1 result is correct."));
  for (const char* name : {"dumb", "", static_cast<const char*>(nullptr)})
    EXPECT_THAT(shown_on(name, kSmallRun), AllOf(HasSubstr("1 result is correct."), Not(HasSubstr("\x1b"))));
}

TEST(Escapes, AreNotNeededToWatch) {
  Folder folder;
  ASSERT_EQ(cudalab({"start", "padded-tile", "--into", "."}, {.folder = folder.path()}).code, 0);
  Terminal terminal({"watch"}, folder.path(), 100, "dumb");
  terminal.read_until("q quit");
  terminal.type("q");
  EXPECT_EQ(terminal.wait(), 0);
  EXPECT_THAT(terminal.everything(), Not(HasSubstr("\x1b")));
}

// ---- what is typed -----------------------------------------------------------------------------------

TEST(LongValue, IsShortenedInAMessageThatKeepsItsCauseAndItsNextStep) {
  std::string blanks;
  while (blanks.size() < 120'000) blanks += "\xc3\xa4 b ";
  for (const std::string& value : {std::string(120'000, 'x'), blanks}) {
    const Outcome outcome = by_ids({"transpose", "--tile", value});
    EXPECT_EQ(outcome.code, 2);
    EXPECT_THAT(outcome.err, AllOf(StartsWith("cudalab: option_out_of_range(option=tile, value="),
                                   HasSubstr("…"), EndsWith(", allowed=allowed_range(from=1, to=32))\n")));
    EXPECT_LT(outcome.err.size(), 2100u);
  }
  for (const std::vector<std::string>& words : {std::vector<std::string>{std::string(120'000, 'x')},
                                                {"transpose", "--" + std::string(120'000, 'x')},
                                                {"run", std::string(120'000, 'x')}}) {
    const Outcome outcome = cudalab(words);
    EXPECT_EQ(outcome.code, 2);
    EXPECT_LT(outcome.err.size(), 2100u);
    EXPECT_TRUE(is_one_line(outcome.err));
  }
}

TEST(SuggestedCommand, QuotesWhatAShellWouldReadOtherwise) {
  Folder folder;
  write_file(folder / "my kernel's.cu", "__global__ void k(float* x) { x[0] = 1; }\n");
  const Outcome run = cudalab({"run", "my kernel's.cu", "--device", "virtual"}, {.folder = folder.path()});
  if (run.code == 3) GTEST_SKIP() << run.err;
  EXPECT_THAT(run.out, HasSubstr(R"(cudalab run 'my kernel'\''s.cu' --kernel k )"));
  const Outcome start = cudalab({"start", "padded-tile", "--into", "my course"}, {.folder = folder.path()});
  EXPECT_THAT(start.out, HasSubstr("cd 'my course'\n"));
}

// ---- the scripts -------------------------------------------------------------------------------------

// The scripts of a checkout, without anything else.
class Scripts : public testing::Test {
 protected:
  void SetUp() override {
    if (!has_own_mounts()) GTEST_SKIP() << "mounts of our own are not allowed here";
    fs::copy(kSource / "scripts", folder_ / "scripts", fs::copy_options::recursive);
  }
  void write_program(const fs::path& path, const std::string& commands) const {
    fs::create_directories((folder_ / path.string()).parent_path());
    write_file(folder_ / path.string(), "#!/bin/sh\n" + commands + "\n");
    fs::permissions(folder_ / path.string(), fs::perms::owner_all);
  }
  Outcome run_read_only(const std::string& arguments) const {
    return in_own_mounts(
        "mount --bind . .; mount -o remount,ro,bind . .; exec \"$PWD\"/scripts/run " + arguments,
        {.folder = folder_.path()});
  }

  Folder folder_;
};

TEST_F(Scripts, RunFailsInOneLineWhereNothingCanBeBuilt) {
  const Outcome outcome = run_read_only("list");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_EQ(outcome.out, "");
  EXPECT_THAT(outcome.err, StartsWith("cudalab: cannot write to " + (folder_ / "build").string()));
  EXPECT_TRUE(is_one_line(outcome.err)) << outcome.err;
}

TEST_F(Scripts, RunTakesWhatIsBuiltWhereNothingCanBeWritten) {
  write_program("build/release/cudalab", "echo \"$@\"");
  const Outcome outcome = run_read_only("transpose --json");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_EQ(outcome.out, "transpose --json\n");
  EXPECT_EQ(outcome.err, "");
}

// scripts/setup on a machine without packages, where a fake apt-get records the packages that it is asked
// for.
struct FreshMachine {
  const Folder& folder;
  std::string hide_clang =
      "for clang in /usr/bin/clang++*; do mount --bind /dev/null \"$(readlink -f $clang)\"; done\n";

  std::string packages() const {
    const Outcome outcome = in_own_mounts(
        "for place in /usr/local/cuda /opt/cuda /usr/include; do\n"
        "  if [ -d $place ]; then mount -t tmpfs none \"$(readlink -f $place)\"; fi\n"
        "done\n" +
            hide_clang + "unset CUDA_HOME CUDA_PATH; PATH=$PWD/bin:$PATH; exec scripts/setup",
        {.folder = folder.path()});
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    return fs::exists(folder / "installed") ? read_file(folder / "installed") : "";
  }
};

class FreshScripts : public Scripts {
 protected:
  void SetUp() override {
    Scripts::SetUp();
    write_program("bin/dpkg-query", "exit 1");
    write_program("bin/sudo", "shift; exec \"$@\"");
    write_program("bin/apt-get", "echo \"$@\" >>" + (folder_ / "installed").string());
  }
};

TEST_F(FreshScripts, SetupInstallsTheNewestClangThatThereIsWhereThereIsNoToolkit) {
  write_program("bin/apt-cache", "[ $2 = clang-19 ] || echo $2");
  EXPECT_THAT(FreshMachine{folder_}.packages(), AllOf(EndsWith(" clang-18\n"), HasSubstr(" cmake ")));
}

TEST_F(FreshScripts, SetupInstallsNoClangWhereOneIsThatCompilesKernels) {
  write_program("bin/clang++-17", "exit 1");
  EXPECT_THAT(FreshMachine{folder_}.packages(), AllOf(HasSubstr(" cmake "), Not(HasSubstr("clang"))));
}

}  // namespace
}  // namespace cudalab::e2e
