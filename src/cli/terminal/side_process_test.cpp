// Tests jobs in child processes: their messages, their errors, and that stopping a job kills its descendants.
#include "cli/terminal/side_process.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <poll.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <fstream>
#include <thread>

#include "core/diagnostics/message_testing.h"
#include "core/error.h"
#include "core/files.h"
#include "core/temporary_folder_testing.h"

namespace cudalab::cli {
namespace {

void wait_for(SideProcess& side) {
  while (!side.is_done()) {
    pollfd news{side.descriptor(), POLLIN, 0};
    ::poll(&news, 1, 1000);
  }
}

std::string result_of(const SideProcess::Job& job) {
  SideProcess side(job);
  wait_for(side);
  return side.result();
}

// Waits until a process has written its ID to a file.
pid_t number_in(const std::filesystem::path& file) {
  for (int tries = 0; tries < 1000; ++tries) {
    if (const auto text = read_file(file); text && text->ends_with('\n')) return std::stoi(*text);
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  throw std::runtime_error("it did not start");
}

bool ends(pid_t process) {
  for (int tries = 0; tries < 1000; ++tries) {
    const auto state = read_file("/proc/" + std::to_string(process) + "/stat");
    if (!state || state->find(") Z") != std::string::npos) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  return false;
}

TEST(SideProcess, BringsItsResult) {
  const std::string long_text(1 << 20, 'x');
  EXPECT_EQ(result_of([&](const auto&) { return long_text; }), long_text);
  EXPECT_EQ(result_of([](const auto&) { return std::string(); }), "");
}

TEST(SideProcess, TellsWhatItDoes) {
  SideProcess side([](const SideProcess::Tell& tell) {
    tell("one\nline");
    tell("running");
    return std::string("done");
  });
  wait_for(side);
  EXPECT_EQ(side.progress(), "running");
  EXPECT_EQ(side.result(), "done");
}

TEST(SideProcess, ThrowsWhatItsJobThrew) {
  EXPECT_EQ(
      refused(
          [] {
            result_of([](const auto&) -> std::string { throw stopped_error(Message::verbatim("too long")); });
          },
          ExitCode::kStopped),
      Message::verbatim("too long"));
  EXPECT_THROW(result_of([](const auto&) -> std::string { throw std::bad_alloc(); }), std::bad_alloc);
  EXPECT_THROW(result_of([](const auto&) -> std::string { throw std::logic_error("a bug"); }),
               std::runtime_error);
}

TEST(SideProcess, ACrashIsAnError) {
  const auto crash = [] {
    result_of([](const SideProcess::Tell& tell) -> std::string {
      tell("compiling a.cu");
      ::raise(SIGKILL);
      return "";
    });
  };
  EXPECT_THAT(refused(crash, ExitCode::kUnavailable),
              IsMessage("side_process_crashed", {{"what", "compiling a.cu"}, {"how", "Killed"}}));
}

TEST(SideProcess, EndsAtOnceWithAllThatItStarted) {
  TemporaryFolder folder;
  std::filesystem::path its_own;
  pid_t child = 0, grandchild = 0;
  {
    SideProcess side([&](const SideProcess::Tell& tell) -> std::string {
      tell(std::getenv("TMPDIR"));
      const std::string command = "echo $$ > " + (folder / "grandchild").string() + "; exec sleep 1000";
      std::ofstream(folder / "child") << ::getpid() << "\n";
      return std::to_string(std::system(command.c_str()));
    });
    child = number_in(folder / "child"), grandchild = number_in(folder / "grandchild");
    EXPECT_FALSE(side.is_done());
    its_own = side.progress();
    EXPECT_TRUE(is_folder(its_own));
  }
  EXPECT_TRUE(ends(child));
  EXPECT_TRUE(ends(grandchild));
  EXPECT_FALSE(is_there(its_own));
}

}  // namespace
}  // namespace cudalab::cli
