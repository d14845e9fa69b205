// Verbs that are interrupted on a terminal: the terminal's settings are the same afterwards.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <pty.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cstring>
#include <random>
#include <thread>

#include "core/named.h"
#include "tests/faults/verbs_testing.h"

namespace cudalab::faults {
namespace {

constexpr Named<int> kSignals[]{
    {"INT", SIGINT}, {"TERM", SIGTERM}, {"HUP", SIGHUP}, {"QUIT", SIGQUIT}, {"ABRT", SIGABRT}};
constexpr std::size_t kMoments = 5;
constexpr double kLongest = 0.8;  // seconds: the duration of a check with compilation

const std::vector<Verb>& verbs_of_terminals() {
  static const std::vector<Verb> table{{"watch", {"watch"}},
                                       {"check", {"check", "padded-tile"}},
                                       {"learn", {"learn", "transpose"}},
                                       {"quiz", {"quiz", "transpose"}}};
  return table;
}

// Reads the terminal's output: without a reader, the writer would wait forever.
class Screen {
 public:
  Screen() {
    winsize size{40, 100, 0, 0};
    if (::openpty(&master_, &slave_, nullptr, nullptr, &size) != 0) throw std::runtime_error("no terminal");
    reader_ = std::jthread([this](const std::stop_token& stop) { read_all(stop); });
  }
  ~Screen() {
    reader_.request_stop();
    reader_.join();
    ::close(slave_);
    ::close(master_);
  }
  int descriptor() const { return slave_; }
  termios settings() const {
    termios now{};
    ::tcgetattr(slave_, &now);
    return now;
  }

 private:
  void read_all(const std::stop_token& stop) const {
    std::array<char, 4096> bytes;
    pollfd news{master_, POLLIN, 0};
    while (!stop.stop_requested())
      if (::poll(&news, 1, 20) > 0 && ::read(master_, bytes.data(), bytes.size()) < 0)
        std::this_thread::yield();
  }
  int master_ = -1, slave_ = -1;
  std::jthread reader_;
};

bool is_same(const termios& a, const termios& b) {
  return a.c_iflag == b.c_iflag && a.c_oflag == b.c_oflag && a.c_lflag == b.c_lflag &&
         std::memcmp(a.c_cc, b.c_cc, sizeof a.c_cc) == 0;
}

struct Row {
  const Verb& verb;
  Named<int> signal;
};

std::string what_is_wrong(const Row& row, std::size_t number) {
  std::mt19937 random(static_cast<unsigned>(number));
  const Place place;
  fill(place, number % 2 == 0);
  const auto before = place.files();
  const Screen screen;
  const termios settings = screen.settings();
  const Strike strike{row.signal.value, std::uniform_real_distribution<>(0, kLongest)(random)};
  const Ending ending = run(place, row.verb.words, {.strike = strike, .terminal = screen.descriptor()});
  const bool is_crash = row.signal.value == SIGQUIT || row.signal.value == SIGABRT;
  std::string problems;
  if (ending.code != (is_crash ? 128 + row.signal.value : 4) && ending.code > 1)
    problems += "\nthe exit code is not documented";
  if (ending.code < 0) problems += "\nit hangs";
  if (!is_same(screen.settings(), settings)) problems += "\nthe terminal has other settings than before";
  for (const std::string& survivor : ending.survivors) problems += "\nstill runs: " + survivor;
  auto may_be = before;
  for (const char* written : {"core"}) may_be.emplace(written, "");
  // The next run cleans up, or a later one if processes that were killed with the verb are still ending.
  constexpr int kRuns = 5;
  for (int runs = 0; is_crash && runs < kRuns && (runs == 0 || leftovers(place, before, may_be) != "");
       ++runs)
    run(place, {"check", "padded-tile"});
  problems += leftovers(place, before, may_be);
  return problems.empty() ? ""
                          : fmt::format("{}, SIG{} after {:.3f} s, code {}{}\n", row.verb.name,
                                        row.signal.name, strike.after_seconds, ending.code, problems);
}

TEST(Terminals, AreAsBeforeWhateverEndsAVerb) {
  std::vector<Row> all;
  for (const Verb& verb : verbs_of_terminals())
    for (const Named<int>& signal : kSignals)
      for (std::size_t moment = 0; moment < kMoments; ++moment) all.push_back({verb, signal});
  std::vector<std::string> problems(all.size());
  side_by_side(all.size(), [&](std::size_t i) {
    if (is_wanted(i)) problems[i] = what_is_wrong(all[i], i);
  });
  for (const std::string& problem : problems) EXPECT_EQ(problem, "");
}

}  // namespace
}  // namespace cudalab::faults
