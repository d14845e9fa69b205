// `cudalab grade --slurm` on a real Slurm that the test starts: the grades equal those of a single machine,
// whatever happens to the jobs.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <signal.h>

#include <algorithm>
#include <charconv>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <regex>
#include <sstream>
#include <thread>

#include "core/diagnostics/message_testing.h"
#include "tests/e2e/slurm_testing.h"

namespace cudalab::e2e {
namespace {

namespace fs = std::filesystem;
using namespace std::chrono_literals;
using OrderedJson = nlohmann::ordered_json;
using testing::AllOf;
using testing::HasSubstr;

class OnSlurm : public testing::Test {
 protected:
  void SetUp() override {
    if (const std::string lacks = Slurm::lacks(); !lacks.empty()) GTEST_SKIP() << lacks;
    if (cudalab({"doctor"}).code == 3) GTEST_SKIP() << "no compiler";
    slurm.emplace();
  }

  // Right and wrong kernels for this many students; each kernel differs from all others.
  void make_class(int students) const {
    std::vector<fs::path> kernels{kTile / "solution.cu", kTile / "starter.cu"};
    for (const auto& wrong : fs::directory_iterator(kTile / "wrong")) kernels.push_back(wrong.path());
    std::sort(kernels.begin() + 2, kernels.end());
    fs::create_directories(folder / "class");
    for (int student = 0; student < students; ++student)
      write_file(folder / "class" / ("student" + std::to_string(student) + ".cu"),
                 "// " + std::to_string(student) + "\n" +
                     read_file(kernels[static_cast<std::size_t>(student) % kernels.size()]));
  }

  Outcome grade(std::vector<std::string> more) const {
    std::vector<std::string> words{"grade", "class", "--exercise", "padded-tile", "--seed", "7"};
    words.insert(words.end(), more.begin(), more.end());
    Settings settings{.environment = {slurm->environment()}, .folder = folder.path()};
    return cudalab(words, settings);
  }

  Folder folder;
  std::optional<Slurm> slurm;
};

// Removes times and memory, which are measured and differ between any two runs.
std::string without_measured(const std::string& json) {
  return std::regex_replace(json, std::regex("\"(seconds|memory_mib)\": [^,\n]*"), "");
}

TEST_F(OnSlurm, GivesByteForByteWhatOneMachineGives) {
  make_class(17);
  write_file(folder / "class" / "bad\xff name 'x.cu", "");
  fs::create_symlink("/etc/passwd", folder / "class" / "link.cu");
  for (const std::string format : {"table", "json"}) {
    const Outcome here = grade({"--format", format}),
                  there = grade({"--format", format, "--slurm", "--wait", "--jobs", "3"});
    EXPECT_EQ(here.code, 1) << here.err;
    EXPECT_EQ(there.code, 1) << there.err;
    EXPECT_THAT(there.err, HasSubstr("19 submissions: job"));
    EXPECT_EQ(without_measured(there.out), without_measured(here.out));
  }
}

TEST_F(OnSlurm, WritesWhereItWasToldWhenNobodyWaits) {
  make_class(4);
  const Outcome submitted =
      grade({"--format", "csv", "--output", "grades.csv", "--slurm", "--journal", "run"});
  EXPECT_EQ(submitted.code, 0) << submitted.err;
  EXPECT_THAT(unwrapped(submitted.out),
              AllOf(HasSubstr("4 submissions: job"), HasSubstr("writes grades.csv"), HasSubstr("scancel")));
  ASSERT_TRUE(slurm->is_empty_within(60s));
  EXPECT_EQ(read_file(folder / "grades.csv"), grade({"--format", "csv"}).out);
  EXPECT_THAT(grade({"--slurm", "--journal", "run"}).err, HasSubstr("already contains a run"));
}

// ---- what happens to jobs -----------------------------------------------------------------------------

// The process that runs this part of the run in this folder.
std::optional<pid_t> process_of(const std::string& part, const fs::path& folder) {
  for (const auto& entry : fs::directory_iterator("/proc")) {
    const std::string name = entry.path().filename();
    pid_t process = 0;
    if (std::from_chars(name.data(), name.data() + name.size(), process).ec != std::errc{}) continue;
    std::ifstream file(entry.path() / "cmdline", std::ios::binary);
    const std::string words{std::istreambuf_iterator<char>(file), {}};
    if (words.find("--task=" + part) != std::string::npos && words.find(folder.string()) != std::string::npos)
      return process;
  }
  return std::nullopt;
}

using Lines = std::vector<std::string>;

// The lines that hold a grade, in all journals whose names begin with `begin`. A journal begins with the seed
// of its run.
Lines journal_lines(const fs::path& run, const std::string& begin) {
  Lines lines;
  if (!fs::exists(run / "journals")) return lines;
  for (const auto& journal : fs::directory_iterator(run / "journals")) {
    if (!journal.path().filename().string().starts_with(begin)) continue;
    std::istringstream text(read_file(journal.path()));
    for (std::string line; std::getline(text, line);)
      if (line.find("\"grade\"") != std::string::npos) lines.push_back(line);
  }
  return lines;
}

bool has_lines(const fs::path& run, const std::string& begin, std::size_t count) {
  for (int tries = 0; tries < 1200; ++tries) {
    if (journal_lines(run, begin).size() >= count) return true;
    std::this_thread::sleep_for(50ms);
  }
  return false;
}

std::string job_in(const std::string& text) {
  std::smatch found;
  return std::regex_search(text, found, std::regex("job ([0-9]+) grades")) ? found[1].str() : "";
}

// One task is killed and not started again: the last job grades its remaining submissions. The other task is
// requeued while it runs: its second run continues where the first one ended.
TEST_F(OnSlurm, LosesNothingWhenTasksAreKilledAndRequeued) {
  constexpr std::size_t kStudents = 40;
  make_class(kStudents);
  const fs::path run = folder / "run";
  const Outcome submitted =
      grade({"--format", "csv", "--output", "grades.csv", "--slurm", "--journal", "run", "--jobs", "2"});
  ASSERT_EQ(submitted.code, 0) << submitted.err;
  ASSERT_TRUE(has_lines(run, "0of2-", 2) && has_lines(run, "1of2-", 2));
  const auto killed = process_of("0/2", run);
  ASSERT_TRUE(killed);
  ::kill(*killed, SIGKILL);
  slurm->ask({"scontrol", "requeue", job_in(submitted.out) + "_1"});
  const std::size_t had = journal_lines(run, "1of2-").size();
  EXPECT_LT(had, kStudents / 2);
  ASSERT_TRUE(slurm->is_empty_within(180s));

  EXPECT_EQ(read_file(folder / "grades.csv"), grade({"--format", "csv"}).out);
  std::map<std::string, int> graded;
  for (const std::string& line : journal_lines(run, "")) ++graded[OrderedJson::parse(line)["grade"]["file"]];
  EXPECT_EQ(graded.size(), kStudents);
  for (const auto& [file, times] : graded) EXPECT_EQ(times, 1) << file << " was graded twice";
  EXPECT_EQ(journal_lines(run, "1of2-").size(), kStudents / 2) << "the requeued task graded all of its part";
  EXPECT_FALSE(journal_lines(run, "merge-").empty()) << "the last job graded what the killed one had not";
}

TEST_F(OnSlurm, SaysInOneLineWhatSlurmDoesNotTake) {
  make_class(2);
  const Outcome refused = grade({"--slurm", "--partition", "none"});
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, AllOf(HasSubstr("cudalab: Slurm refused the job: "), HasSubstr("partition")));
  EXPECT_EQ(std::count(refused.err.begin(), refused.err.end(), '\n'), 1);
}

// A fake sbatch that accepts only the first job, and a fake scancel that records its arguments.
TEST(RefusingSlurm, LeavesNoArrayBehindWhenItRefusesTheSecondJob) {
  Folder folder;
  write_file(folder / "ada.json", "{}");
  const auto make_program = [&](const char* name, const std::string& body) {
    write_file(folder / "bin" / name, "#!/bin/sh\n" + body);
    fs::permissions(folder / "bin" / name, fs::perms::owner_all);
  };
  fs::create_directories(folder / "bin");
  make_program("sbatch", "case \"$*\" in *--array*) echo 17 ;; *) echo 'no more jobs' >&2; exit 1 ;; esac\n");
  make_program("scancel", "echo cancelled $* >> " + (folder / "told").string() + "\n");
  const std::string path = (folder / "bin").string() + ":/usr/bin:/bin";
  for (const bool waits : {false, true}) {
    std::vector<std::string> words{"grade", "ada.json", "--slurm", "--journal", waits ? "one" : "other"};
    if (waits) words.emplace_back("--wait");
    const Outcome refused = by_ids(words, {.environment = {{"PATH", path}}, .folder = folder.path()});
    EXPECT_EQ(refused.code, 3) << refused.err;
    EXPECT_THAT(refused.err, Says("slurm_job_refused", {{"why", "no more jobs"}}));
  }
  EXPECT_EQ(read_file(folder / "told"), "cancelled 17\ncancelled 17\n");
}

TEST(RefusingSlurm, LeavesNoRunBehindThatNeverBegan) {
  Folder folder;
  write_file(folder / "ada.json", "{}");
  fs::create_directories(folder / "bin");
  write_file(folder / "bin/sbatch", "#!/bin/sh\necho 'no such partition' >&2; exit 1\n");
  fs::permissions(folder / "bin/sbatch", fs::perms::owner_all);
  const Settings refusing{.environment = {{"PATH", (folder / "bin").string() + ":/usr/bin:/bin"}},
                          .folder = folder.path()};
  const std::vector<std::string> words{"grade", "ada.json", "--slurm", "--journal", "run"};
  std::vector<std::string> again = words;
  again.emplace_back("--resume");
  EXPECT_THAT(by_ids(again, refusing).err, Says("run_folder_empty")) << "none was begun";
  const auto is_refused = Says("slurm_job_refused", {{"why", "no such partition"}});
  for (int i = 0; i < 2; ++i) EXPECT_THAT(by_ids(words, refusing).err, is_refused);
  std::vector<std::string> mistaken = words;
  mistaken.emplace_back("--changes=nowhere.csv");
  EXPECT_THAT(by_ids(mistaken, refusing).err, Says("error_file_not_readable", {{"file", "nowhere.csv"}}));
  EXPECT_THAT(by_ids(words, refusing).err, is_refused);
}

TEST(WithoutSlurm, OneLineSaysSo) {
  Folder folder;
  write_file(folder / "ada.json", "{}");
  const Settings no_slurm{.environment = {{"PATH", "/nowhere"}}, .folder = folder.path()};
  const Outcome refused = by_ids({"grade", "ada.json", "--slurm"}, no_slurm);
  EXPECT_EQ(refused.code, 3);
  EXPECT_THAT(refused.err, Says("slurm_program_missing", {{"program", "sbatch"}}));
  const Outcome alone = by_ids({"grade", "ada.json", "--wait"}, no_slurm);
  EXPECT_EQ(alone.code, 2);
  EXPECT_THAT(alone.err, Says("option_needs_slurm", {{"option", "--wait"}}));
}

}  // namespace
}  // namespace cudalab::e2e
