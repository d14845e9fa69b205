// A message arrives complete, or the receiver learns that nothing will come.
#include "core/processes/message_socket.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <thread>

namespace cudalab {

// Whole messages, however the stream divides them.

namespace {

TEST(MessageSocket, DeliversWholeMessages) {
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

TEST(MessageSocket, ConnectingFailsIfNoProcessListens) { EXPECT_LT(connected_socket("/nowhere/at/all"), 0); }

using namespace std::chrono_literals;

class SocketMessage : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(::socketpair(AF_UNIX, SOCK_STREAM, 0, ends_.data()), 0); }
  void TearDown() override {
    for (const int end : ends_) ::close(end);
  }
  std::array<int, 2> ends_{};
};

TEST_F(SocketMessage, KeepsEveryByte) {
  const Fields fields{"", std::string("a\0\n", 3), std::string(5'000'000, 'x')};
  std::jthread sender([&] { EXPECT_TRUE(send_fields(ends_[0], fields)); });
  EXPECT_EQ(receive_fields(ends_[1]).fields, fields);
}

TEST_F(SocketMessage, DistinguishesLatenessFromAClosedConnection) {
  EXPECT_TRUE(receive_fields(ends_[1], std::chrono::steady_clock::now() + 20ms).is_late);
  ::shutdown(ends_[0], SHUT_RDWR);
  const Received received = receive_fields(ends_[1], std::chrono::steady_clock::now() + 20s);
  EXPECT_FALSE(received.fields);
  EXPECT_FALSE(received.is_late);
  EXPECT_FALSE(send_fields(ends_[1], {"x"}));
}

}  // namespace
}  // namespace cudalab
