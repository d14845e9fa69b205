// Signals at random moments, in every verb: each run ends as documented, reports it, and leaves nothing.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <random>
#include <string>
#include <string_view>

#include "core/named.h"
#include "tests/faults/verbs_testing.h"

namespace cudalab::faults {
namespace {

constexpr Named<int> kSignals[]{
    {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"PIPE", SIGPIPE}, {"KILL", SIGKILL}};
constexpr std::size_t kMoments = 3;
constexpr int kStopped = 4;

struct Row {
  const Verb& verb;
  Named<int> signal;
  std::size_t moment;
};

std::vector<Row> rows() {
  std::vector<Row> rows;
  for (const Verb& verb : verbs())
    for (const Named<int>& signal : kSignals)
      for (std::size_t moment = 0; moment < kMoments; ++moment) rows.push_back({verb, signal, moment});
  return rows;
}

// A signal and a moment that depend on the row, within the time that the verb takes undisturbed.
Strike strike_of(const Row& row, std::size_t number) {
  std::mt19937 random(static_cast<unsigned>(number));
  return {row.signal.value, std::uniform_real_distribution<>(0, undisturbed(row.verb).seconds)(random)};
}

// The files that may remain. Only `grade` may leave one: its journal, which exists for interruptions.
std::map<std::string, std::string> files_that_may_be(const Row& row) {
  auto files = undisturbed(row.verb).files;
  files.emplace("cudalab-grades.jsonl", "");
  return files;
}

// What the verb prints undisturbed may come before the line: a program's report, or the name of a file that
// it wrote.
bool says_in_one_line_that_it_was_stopped(const Row& row, const std::string& err) {
  constexpr std::string_view kStopped = "cudalab: stopped";
  if (err.empty() || err.back() != '\n') return false;
  const std::size_t before = err.rfind('\n', err.size() - 2);
  const std::size_t begins = before == std::string::npos ? 0 : before + 1;
  const std::string verb = row.verb.words.empty() ? "" : row.verb.words.front();
  const bool reports_a_program = verb == "exec" || verb == "run";
  return std::string_view(err).substr(begins).starts_with(kStopped) &&
         (reports_a_program || undisturbed(row.verb).err.starts_with(err.substr(0, begins)));
}

std::string objection(const Row& row, const Ending& ending) {
  const int usual = undisturbed(row.verb).code;
  if (ending.code == usual) return "";
  if (row.signal.value == SIGKILL) return ending.code == 128 + SIGKILL ? "" : "\nit is not even killed";
  if (row.signal.value == SIGPIPE) return "\na pipe that broke elsewhere changes its exit code";
  if (ending.code != kStopped) return "\nthe exit code is not that of a stop";
  return says_in_one_line_that_it_was_stopped(row, ending.err)
             ? ""
             : "\nit does not say in one line that it was stopped";
}

std::string what_is_wrong(const Row& row, std::size_t number) {
  const Place place;
  fill(place, number % 2 == 0);
  const auto before = place.files();
  const Ending ending = run(place, row.verb.words, {.strike = strike_of(row, number)});
  std::string problems = objection(row, ending);
  for (const std::string& survivor : ending.survivors) problems += "\nstill runs: " + survivor;
  if (ending.code == 128 + SIGKILL) run(place, {"check", "padded-tile"});  // the next run cleans up
  problems += leftovers(place, before, files_that_may_be(row));
  return problems.empty() ? ""
                          : fmt::format("row {}: {}, code {}: {}{}\n", number, row.verb.name, ending.code,
                                        ending.err, problems);
}

TEST(Signals, EndEveryVerbAsDocumentedAndLeaveNothing) {
  std::vector<std::size_t> wanted;
  const std::vector<Row> all = rows();
  for (std::size_t i = 0; i < all.size(); ++i)
    if (is_wanted(i)) wanted.push_back(i);
  std::vector<std::string> problems(wanted.size());
  side_by_side(wanted.size(), [&](std::size_t i) { problems[i] = what_is_wrong(all[wanted[i]], wanted[i]); });
  for (std::size_t i = 0; i < wanted.size(); ++i)
    EXPECT_EQ(problems[i], "") << "SIG" << all[wanted[i]].signal.name;
}

}  // namespace
}  // namespace cudalab::faults
