// Whole messages, however they come.
#include "core/programs/message_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>

#include <thread>

namespace cudalab {
namespace {

TEST(MessageSocket, CarriesWholeMessages) {
  int ends[2];
  ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
  const MessageSocket here(ends[0]);
  const std::string long_one(1 << 20, 'x');
  std::thread speaker([&] {
    const MessageSocket there(ends[1]);
    there.send("");
    there.send(long_one);
  });
  EXPECT_EQ(here.receive(), "");
  EXPECT_EQ(here.receive(), long_one);
  EXPECT_EQ(here.receive(), std::nullopt);
  speaker.join();
  EXPECT_FALSE(here.send("nobody is there"));
}

TEST(MessageSocket, FindsNobodyWhereNobodyListens) { EXPECT_LT(connected_socket("/nowhere/at/all"), 0); }

}  // namespace
}  // namespace cudalab
