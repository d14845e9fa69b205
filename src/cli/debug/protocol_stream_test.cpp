// Tests the framing of messages: messages in pieces, foreign bytes, and text that is not UTF-8.
#include "cli/debug/protocol_stream.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <array>

namespace cudalab::cli {
namespace {

class ProtocolStreamTest : public testing::Test {
 protected:
  ProtocolStreamTest() {
    EXPECT_EQ(::pipe(to_.data()), 0);
    EXPECT_EQ(::pipe(from_.data()), 0);
    stream_.emplace(to_[0], from_[1]);
  }
  ~ProtocolStreamTest() override {
    hang_up();
    ::close(from_[0]);
  }
  void write(std::string_view text) const {
    EXPECT_EQ(::write(to_[1], text.data(), text.size()), static_cast<ssize_t>(text.size()));
  }
  void hang_up() {
    if (to_[1] >= 0) ::close(std::exchange(to_[1], -1));
  }
  std::string written() const {
    std::array<char, 4096> buffer;
    const ssize_t got = ::read(from_[0], buffer.data(), buffer.size());
    return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
  }
  std::array<int, 2> to_{-1, -1}, from_{-1, -1};
  std::optional<ProtocolStream> stream_;
};

TEST_F(ProtocolStreamTest, ReadsMessagesThatArriveInPieces) {
  write("Content-Length: 13\r\n\r\n{\"seq\"");
  EXPECT_FALSE(stream_->has_arrived({"pause"}));
  write(": 1234}Content-Length: 20\r\nContent-Type: x\r\n\r\n{\"command\": \"pause\"}");
  EXPECT_TRUE(stream_->has_arrived({"pause"}));
  EXPECT_FALSE(stream_->has_arrived({"next"}));
  EXPECT_EQ(stream_->next()->at("seq"), 1234);
  EXPECT_EQ(stream_->next()->at("command"), "pause");
  hang_up();
  EXPECT_FALSE(stream_->next());
  EXPECT_TRUE(stream_->has_arrived({}));
}

TEST_F(ProtocolStreamTest, SkipsWhatIsNoObject) {
  write("Content-Length: 3\r\n\r\n[1]Content-Length: 2\r\n\r\n{xContent-Length: 2\r\n\r\n{}");
  EXPECT_EQ(*stream_->next(), nlohmann::json::object());
}

class ForeignBytes : public ProtocolStreamTest, public testing::WithParamInterface<const char*> {};

TEST_P(ForeignBytes, EndTheStream) {
  write(GetParam());
  EXPECT_FALSE(stream_->next());
}

INSTANTIATE_TEST_SUITE_P(OfOthers, ForeignBytes,
                         testing::Values("GET / HTTP/1.1\r\n\r\n", "G", "Content-Length: -5\r\n\r\n{}",
                                         "Content-Length: 99999999999999\r\n\r\n",
                                         "Content-Type: x\r\n\r\n"));

TEST_F(ProtocolStreamTest, NumbersWhatItSendsAndReplacesWhatIsNotUtf8) {
  stream_->send({{"type", "event"}, {"text", "\xff"}});
  EXPECT_EQ(written(), "Content-Length: 37\r\n\r\n{\"seq\":1,\"text\":\"\xEF\xBF\xBD\",\"type\":\"event\"}");
}

}  // namespace
}  // namespace cudalab::cli
