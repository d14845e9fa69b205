// Takes away what every verb needs from the system: streams, disks, folders, descriptors, memory.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <string>

#include "tests/faults/verbs_testing.h"

namespace cudalab::faults {
namespace {

constexpr int kUnavailable = 3;

// Which exit codes are correct besides the verb's own, and whether standard error must contain a message
// then.
enum class Allowed { kItsOwn, kCannotWrite, kMayFail };

struct Lack {
  const char* name;
  std::string shell;  // commands before `"$@"`; run with unshare if they mount
  Allowed allowed;
  bool is_heard = true;  // whether standard error can be read
};

// The system limits a user's number of processes, threads included. This user has no other processes.
std::string as_a_user_with_processes(int most) {
  return fmt::format(
      "id=$((100000 + $$ % 1000000)); chmod 711 ..; chown -R $id . \"$TMPDIR\" \"$CUDALAB_CACHE_DIR\"; exec "
      "setpriv --reuid=$id --regid=$id --clear-groups bash -c 'ulimit -u {}; exec \"$@\"' sh \"$@\"",
      most);
}

const Lack kLacks[]{
    {"standard output is full", "exec \"$@\" >/dev/full", Allowed::kCannotWrite},
    {"standard output is closed", "exec \"$@\" >&-", Allowed::kCannotWrite},
    {"standard output is open for reading alone", "exec \"$@\" 1</dev/null", Allowed::kCannotWrite},
    {"nobody reads standard output", "{ set +e; \"$@\"; echo $? >../code; } | true; exit $(cat ../code)",
     Allowed::kItsOwn},
    {"standard error is closed", "exec \"$@\" 2>&-", Allowed::kItsOwn, false},
    {"standard error is full", "exec \"$@\" 2>/dev/full", Allowed::kItsOwn, false},
    {"standard input is closed", "exec \"$@\" <&-", Allowed::kItsOwn},
    {"all streams are closed", "exec \"$@\" <&- >&- 2>&-", Allowed::kCannotWrite, false},
    {"no file may have a byte",
     "ulimit -f 0; { set +e; \"$@\"; echo $? >&3; } 3>&1 >/dev/null | { read code; exit $code; }",
     Allowed::kMayFail, false},
    {"there are few descriptors", "ulimit -n 10; exec \"$@\"", Allowed::kMayFail},
    {"there are hardly any descriptors", "ulimit -n 5; exec \"$@\"", Allowed::kMayFail},
    {"there is little memory", "ulimit -v 400000; exec \"$@\"", Allowed::kMayFail},
    {"there is hardly any memory", "ulimit -v 100000; exec \"$@\"", Allowed::kMayFail},
    {"there is little room for data", "ulimit -d 20000; exec \"$@\"", Allowed::kMayFail},
    {"there is no other process", as_a_user_with_processes(1), Allowed::kMayFail},
    {"there is a process for one child", as_a_user_with_processes(2), Allowed::kMayFail},
    {"there are processes for a few children and threads", as_a_user_with_processes(4), Allowed::kMayFail},
    {"there is a second of processor time", "ulimit -t 1; exec \"$@\"", Allowed::kMayFail},
    {"there is no folder for temporary files", "TMPDIR=/nowhere exec \"$@\"", Allowed::kMayFail},
    {"the folder for temporary files has a relative path",
     "mkdir t; export TMPDIR=t; set +e; \"$@\"; code=$?; rmdir t; exit $code", Allowed::kItsOwn},
    {"the folder for temporary files is a file", "TMPDIR=$PWD/k.cu exec \"$@\"", Allowed::kMayFail},
    {"the folder for temporary files has an odd name",
     "mkdir \"$TMPDIR/a 'b; x\"; export TMPDIR=\"$TMPDIR/a 'b; x\"; set +e; \"$@\"; code=$?; rmdir "
     "\"$TMPDIR\"; "
     "exit $code",
     Allowed::kItsOwn},
    {"the folder for temporary files has a long path",
     "long=$(printf 'x%.0s' $(seq 100)); mkdir \"$TMPDIR/$long\"; export TMPDIR=\"$TMPDIR/$long\"; set +e; "
     "\"$@\"; code=$?; rmdir \"$TMPDIR\"; exit $code",
     Allowed::kMayFail},
    {"there is little stack", "ulimit -s 512; exec \"$@\"", Allowed::kItsOwn},
    {"there is hardly any stack", "ulimit -s 64; exec \"$@\"", Allowed::kMayFail},
    {"there is hardly any stack, which may be raised", "ulimit -Ss 64; exec \"$@\"", Allowed::kItsOwn},
    {"the home is no whole path", "unset CUDALAB_CACHE_DIR; HOME=home XDG_CACHE_HOME=cache exec \"$@\"",
     Allowed::kItsOwn},
    {"standard input is a folder", "exec \"$@\" </", Allowed::kItsOwn},
    {"standard input and error are closed", "exec \"$@\" <&- 2>&-", Allowed::kItsOwn, false},
    {"standard output and error are closed", "exec \"$@\" >&- 2>&-", Allowed::kCannotWrite, false},
    {"standard input and output are closed", "exec \"$@\" <&- >&-", Allowed::kCannotWrite},
    {"the disk is full where this works",
     "exec unshare -m sh -ec 'cp -a . \"$TMPDIR/copy\"; mount -t tmpfs -o size=2m none .; cd \"$PWD\"; cp -a "
     "\"$TMPDIR/copy/.\" .; rm -r \"$TMPDIR/copy\"; dd if=/dev/zero of=filler bs=4k 2>/dev/null || true; "
     "exec "
     "\"$@\"' sh \"$@\"",
     Allowed::kMayFail},
    {"the folder for temporary files is full",
     "exec unshare -m sh -ec 'mount -t tmpfs -o nr_inodes=1 none \"$TMPDIR\"; exec \"$@\"' sh \"$@\"",
     Allowed::kMayFail},
    {"the cache is full",
     "exec unshare -m sh -ec 'mount -t tmpfs -o mode=700,nr_inodes=2 none \"$CUDALAB_CACHE_DIR\"; exec "
     "\"$@\"' sh \"$@\"",
     Allowed::kItsOwn},
    {"the cache is a file", "CUDALAB_CACHE_DIR=$PWD/k.cu exec \"$@\"", Allowed::kItsOwn},
    {"there is no home", "unset HOME CUDALAB_CACHE_DIR XDG_CACHE_HOME; exec \"$@\"", Allowed::kItsOwn},
    {"there is no /proc", "exec unshare -m sh -ec 'mount -t tmpfs none /proc; exec \"$@\"' sh \"$@\"",
     Allowed::kItsOwn},
    {"nothing here may be written",
     "exec unshare -m sh -ec 'mount --bind . .; mount -o remount,bind,ro .; cd .; cd \"$PWD\"; exec \"$@\"' "
     "sh \"$@\"",
     Allowed::kMayFail},
};

struct Row {
  const Verb& verb;
  const Lack& lack;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const Verb& verb : verbs())
    for (const Lack& lack : kLacks) rows.push_back({verb, lack});
  return rows;
}

// `exec` ends with its program's exit code, or with 126 or 127 if the program cannot be started.
bool is_end_of_a_program(const Row& row, int code) {
  return !row.verb.words.empty() && row.verb.words.front() == "exec" && code >= 126;
}

bool is_allowed(const Row& row, int code) {
  const int usual = undisturbed(row.verb).code;
  switch (row.lack.allowed) {
    case Allowed::kItsOwn: return code == usual;
    case Allowed::kCannotWrite: return code == (undisturbed(row.verb).prints ? kUnavailable : usual);
    case Allowed::kMayFail: return (code >= 0 && code <= kUnavailable) || is_end_of_a_program(row, code);
  }
  return false;
}

// Grades from before the fault remain, and `grade` names them if its standard error can be read.
std::map<std::string, std::string> files_that_may_be(const Row& row, const Ending& ending) {
  auto files = undisturbed(row.verb).files;
  constexpr const char* kJournal = "cudalab-grades.jsonl";
  const bool is_said =
      ending.err.find(fmt::format("{} has what is graded so far", kJournal)) != std::string::npos;
  if (is_said || (!row.lack.is_heard && ending.code == kUnavailable)) files.emplace(kJournal, "");
  return files;
}

std::string what_is_wrong(const Row& row) {
  const Place place;
  fill(place, true);
  const auto before = place.files();
  const Ending ending = run(place, row.verb.words, {.shell = row.lack.shell});
  std::string problems;
  const int usual = undisturbed(row.verb).code;
  if (!is_allowed(row, ending.code)) problems += "\nthe exit code is not documented for that";
  if (ending.code != usual && row.lack.is_heard && ending.err.empty() && ending.out.empty())
    problems += "\nit fails without a word";
  if (ending.err.find("internal error") != std::string::npos) problems += "\nit blames itself";
  for (const std::string& survivor : ending.survivors) problems += "\nstill runs: " + survivor;
  problems += leftovers(place, before, files_that_may_be(row, ending));
  return problems.empty() ? ""
                          : fmt::format("{}, {}, code {} for {}: {}{}\n", row.verb.name, row.lack.name,
                                        ending.code, usual, ending.err, problems);
}

bool may_mount() {
  const Place place;
  return run(place, {"--version"}, {.shell = "exec unshare -m sh -ec 'mount -t tmpfs none /proc'"}).code == 0;
}

TEST(Lacks, AreSaidByEveryVerbAndLeaveNothing) {
  const bool mounts = may_mount();
  std::vector<Row> wanted;
  const std::vector<Row> all = rows();
  for (std::size_t i = 0; i < all.size(); ++i) {
    const bool needs_mounts = all[i].lack.shell.find("mount ") != std::string::npos;
    if (is_wanted(i) && (mounts || !needs_mounts)) wanted.push_back(all[i]);
  }
  std::vector<std::string> problems(wanted.size());
  side_by_side(wanted.size(), [&](std::size_t i) { problems[i] = what_is_wrong(wanted[i]); });
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace cudalab::faults
