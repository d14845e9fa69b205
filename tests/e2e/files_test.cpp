// Files and folders that cannot be used: each fault is reported in one sentence that names them, never as an
// internal error.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>

#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using testing::AllOf;
using testing::HasSubstr;

const std::string kTooLong(300, 'x');
constexpr int kNobody = 65534;

class Faults : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_symlink("loop", folder / "loop");
    fs::create_symlink("loop.cu", folder / "loop.cu");
    ASSERT_EQ(::mkfifo((folder / "pipe").c_str(), 0600), 0);
    fs::create_directory(folder / "folder");
    write_file(folder / "file", "x");
  }

  Outcome run(const std::vector<std::string>& arguments) const {
    return cudalab(arguments, {.folder = folder.path()});
  }

  // Root may open everything, so root gives the folder to a user without rights and runs the program as that
  // user.
  Outcome run_without_rights(const std::vector<std::string>& arguments) const {
    if (::geteuid() != 0) return run(arguments);
    std::vector<std::string> words{
        "setpriv", "--clear-groups",        "--regid",      std::to_string(kNobody),
        "--reuid", std::to_string(kNobody), CUDALAB_PROGRAM};
    words.insert(words.end(), arguments.begin(), arguments.end());
    give_away(folder.path());
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(folder.path()))
      give_away(entry.path());
    return run_command(words, {.environment = {{"CUDALAB_CACHE_DIR", (folder / "cache").string()}},
                               .folder = folder.path()});
  }

  static void give_away(const fs::path& path) { ASSERT_EQ(::lchown(path.c_str(), kNobody, kNobody), 0); }

  static void expect_one_line(const Outcome& outcome, int code, const std::string& says) {
    EXPECT_EQ(outcome.code, code) << outcome.err;
    EXPECT_EQ(outcome.out, "") << says;
    EXPECT_THAT(outcome.err, AllOf(testing::StartsWith("cudalab: "), HasSubstr(says)));
    EXPECT_EQ(std::count(outcome.err.begin(), outcome.err.end(), '\n'), 1) << outcome.err;
  }

  Folder folder_;
  const Folder& folder = folder_;
};

// ---- what is written ---------------------------------------------------------------------------------

TEST_F(Faults, AnOutputThatCannotBeIsRefusedBeforeTheRun) {
  const auto written_to = [&](const std::string& path) {
    return run({"transpose", "--rows", "8", "--cols", "8", "--stage", "cpu", "--json=" + path});
  };
  const std::vector<std::string> before = names_in(folder);
  expect_one_line(written_to("loop"), 2, "cannot write loop: Too many levels of symbolic links");
  expect_one_line(written_to("loop/result.json"), 2, "cannot write loop/result.json: Too many levels");
  expect_one_line(written_to(kTooLong), 2, "File name too long; choose another path");
  expect_one_line(written_to("file/result.json"), 2, "cannot write file/result.json: Not a directory");
  expect_one_line(written_to("folder"), 2, "cannot write folder: Is a directory");
  EXPECT_EQ(names_in(folder), before);
}

TEST_F(Faults, ANameOfEveryPossibleLengthIsWritten) {
  const std::string longest(255, 'y');
  const Outcome outcome =
      run({"transpose", "--rows", "8", "--cols", "8", "--stage", "cpu", "--json=" + longest});
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_THAT(read_file(folder / longest), HasSubstr("cudalab.result/1"));
}

TEST_F(Faults, AnOutputWithoutPermissionIsRefused) {
  ::chmod((folder / "folder").c_str(), 0);
  ::chmod((folder / "file").c_str(), 0400);
  expect_one_line(run_without_rights({"transpose", "--json=folder/deep/result.json"}), 2,
                  "cannot write folder/deep/result.json: Permission denied");
  expect_one_line(run_without_rights({"transpose", "--json=file"}), 2,
                  "cannot write file: Permission denied");
}

// ---- the folder for temporary files, and the working folder ------------------------------------------

TEST_F(Faults, AFolderForTemporaryFilesThatIsNotThereIsNamed) {
  const std::vector<std::string> before = names_in(folder);
  const Outcome outcome =
      cudalab({"grade", "file"}, {.environment = {{"TMPDIR", "/nowhere"}}, .folder = folder.path()});
  expect_one_line(outcome, 3,
                  "cannot create a temporary folder in /nowhere: No such file or directory; set "
                  "TMPDIR to a writable folder");
  EXPECT_EQ(names_in(folder), before);
}

TEST_F(Faults, AWorkingFolderThatWasRemovedIsSaid) {
  const auto in_removed = [&](const std::string& words) {
    return run_command(
        {"/bin/sh", "-c", "mkdir gone && cd gone && rmdir ../gone && exec " CUDALAB_PROGRAM " " + words},
        {.folder = folder.path()});
  };
  expect_one_line(in_removed("grade ../file"), 2, "the current folder was removed");
  expect_one_line(in_removed("verify result.json"), 2, "result.json does not exist");
  expect_one_line(in_removed("check"), 2, "no exercises were started");
  EXPECT_EQ(in_removed("transpose --rows 8 --cols 8 --stage cpu").code, 0);
}

// ---- what is read ------------------------------------------------------------------------------------

TEST_F(Faults, AnInputThatCannotBeReadIsNamedWithTheCause) {
  const std::vector<std::vector<std::string>> readers{{"transpose", "--stage", "naive", "--kernel"},
                                                      {"verify"},
                                                      {"quiz", "transpose", "--answers"},
                                                      {"grade", "file", "--key"}};
  const std::vector<std::pair<std::string, std::string>> faults{
      {"loop", "is a symbolic link that leads back to itself"},
      {"pipe", "is a pipe, not a regular file"},
      {"/dev/zero", "is a device, not a regular file"},
      {"/proc/self/mem", "cannot be read: Input/output error"}};
  for (const std::vector<std::string>& reader : readers)
    for (const auto& [path, cause] : faults) {
      std::vector<std::string> words = reader;
      words.push_back(path);
      expect_one_line(run(words), 2, cause);
    }
}

TEST_F(Faults, AKernelFileThatIsALoopIsNotCalledAbsent) {
  ASSERT_EQ(run({"start", "first-transpose", "--into", "."}).code, 0);
  expect_one_line(run({"check", "loop.cu", "--exercise", "first-transpose"}), 2,
                  "cannot read loop.cu: it is a symbolic link that leads back to itself");
}

TEST_F(Faults, AFolderOfLabsWithAFaultIsNamed) {
  fs::create_directories(folder / "labs" / "transpose");
  fs::create_symlink("exercise", folder / "labs" / "transpose" / "exercise");
  const Outcome outcome =
      cudalab({"start", "all"}, {.environment = {{"CUDALAB_LABS", "labs"}}, .folder = folder.path()});
  expect_one_line(
      outcome, 2,
      "cannot read the folder labs/transpose/exercise: it is a symbolic link that leads back to itself");
}

// ---- grade -------------------------------------------------------------------------------------------

TEST_F(Faults, AnAnswerKeyThatCannotBeReadIsRefusedByName) {
  const auto with_key = [&](const std::string& key) { return run({"grade", "file", "--key", key}); };
  expect_one_line(with_key(kTooLong), 2, "there are no answer keys in xxx");
  for (const char* target : {"transpose.json", "nowhere"}) {  // a cycle of links, and a link to nothing
    fs::create_directories(folder / target / "keys");
    const fs::path key = folder / target / "keys" / "transpose.json";
    fs::create_symlink(target, key);
    expect_one_line(with_key(key.parent_path().string()), 2, "cannot read " + key.string() + ": it ");
  }
  fs::create_directories(folder / "keys" / "transpose.json");
  expect_one_line(with_key("keys"), 2, "cannot read keys/transpose.json: it is a folder");
}

TEST_F(Faults, AnAnswerKeyWithoutPermissionIsRefusedByName) {
  write_file(folder / "key.json", "{}");
  ::chmod((folder / "key.json").c_str(), 0);
  ::chmod((folder / "folder").c_str(), 0);
  expect_one_line(run_without_rights({"grade", "file", "--key", "key.json"}), 2,
                  "cannot read key.json: it may not be read: permission denied");
  expect_one_line(run_without_rights({"grade", "file", "--key", "folder"}), 2,
                  "cannot read folder/program.json: it may not be read: permission denied");
}

// Students' folders are found below the folder of the class, and if a shell has named each of them.
TEST_F(Faults, AStudentsFolderThatCannotBeOpenedIsNamed) {
  for (const char* student : {"ada", "bob", "eve"}) {
    fs::create_directories(folder / "class" / student);
    write_file(folder / "class" / student / "a.json", "{}");
  }
  ::chmod((folder / "class/bob").c_str(), 0);
  ::chmod((folder / "class/eve").c_str(), 0400);  // its names can be listed, but no file can be opened
  for (const std::vector<std::string>& words :
       {std::vector<std::string>{"grade", "class"},
        std::vector<std::string>{"grade", "class/ada", "class/bob/", "class/eve"}}) {
    const Outcome outcome = run_without_rights(words);
    EXPECT_EQ(outcome.code, 1) << outcome.err;
    EXPECT_THAT(outcome.out, testing::ContainsRegex("bob +0 +1  may not be read: permission denied"));
    EXPECT_THAT(outcome.out,
                testing::ContainsRegex("\n[ae][a-z]* +0 +1  may not be read: permission denied"));
    EXPECT_THAT(outcome.out, HasSubstr("is JSON, but not a result of cudalab"));
  }
}

}  // namespace
}  // namespace cudalab::e2e
