// Tests how requests are cut from a stream of bytes, and which are refused.
#include "serve/http/request.h"

#include <gtest/gtest.h>

namespace cudalab::serve {
namespace {

std::optional<Request> read(std::string_view bytes, int* refusal = nullptr) {
  RequestReader reader;
  reader.add(bytes);
  auto request = reader.next();
  if (refusal) *refusal = reader.refusal();
  return request;
}

int refusal_of(std::string_view bytes) {
  int refusal = 0;
  EXPECT_FALSE(read(bytes, &refusal)) << bytes;
  return refusal;
}

TEST(RequestReader, ReadsPathQueryHeadersAndBody) {
  const auto request = read(
      "PUT /api/a%20b?x=1%2B1&y=a+b&z HTTP/1.1\r\nHost: h\r\nContent-Length: 3\r\nX-Y: \t v \r\n\r\nabcREST");
  ASSERT_TRUE(request);
  EXPECT_EQ(request->method, "PUT");
  EXPECT_EQ(request->path, "/api/a b");
  EXPECT_EQ(request->query.at("x"), "1+1");
  EXPECT_EQ(request->query.at("y"), "a b");
  EXPECT_EQ(request->query.at("z"), "");
  EXPECT_EQ(request->header("x-y"), "v");
  EXPECT_EQ(request->body, "abc");
  EXPECT_TRUE(request->keeps_alive);
}

TEST(RequestReader, WaitsForEveryByte) {
  const std::string_view bytes = "POST / HTTP/1.1\r\nHost: h\r\nContent-Length: 2\r\n\r\nab";
  RequestReader reader;
  for (const char byte : bytes) {
    EXPECT_FALSE(reader.next());
    reader.add({&byte, 1});
  }
  EXPECT_TRUE(reader.next());
  EXPECT_EQ(reader.refusal(), 0);
  EXPECT_FALSE(reader.is_within_request());
}

TEST(RequestReader, ReadsRequestsThatFollowEachOther) {
  RequestReader reader;
  reader.add("GET /a HTTP/1.1\r\nHost: h\r\n\r\nGET /b HTTP/1.0\r\nHost: h\r\n\r\n");
  EXPECT_EQ(reader.next()->path, "/a");
  const auto second = reader.next();
  EXPECT_EQ(second->path, "/b");
  EXPECT_FALSE(second->keeps_alive);
}

TEST(RequestReader, RefusesPathsThatClimb) {
  for (const char* path : {"/..", "/a/../b", "/%2e%2e/b", "/./a", "//a", "/a//b", "/a\\b", "/%5c", "a", "*",
                           "http://h/", "/%00", "/%0a", "/%", "/%4", "/%zz", "/\x01", "/\x80"})
    EXPECT_EQ(refusal_of(std::string("GET ") + path + " HTTP/1.1\r\nHost: h\r\n\r\n"), kBadRequest) << path;
}

TEST(RequestReader, RefusesHeadsThatAreNotPlain) {
  for (const char* head :
       {"GET / HTTP/1.1 \r\nHost: h", "GET  / HTTP/1.1\r\nHost: h", " GET / HTTP/1.1\r\nHost: h",
        "GET /\r\nHost: h", "GET / HTTP/1.1", "GET / HTTP/1.1\r\nHost: h\r\nHost: h",
        "GET / HTTP/1.1\r\nHost : h", "GET / HTTP/1.1\r\nHost: h\r\n folded",
        "GET / HTTP/1.1\r\nHost: h\r\nX: a\nb", "GET / HTTP/1.1\r\nHost: h\r\nX: a\rb",
        "GET / HTTP/1.1\nHost: h", "GET / HTTP/1.1\r\nHost: h\r\n: v", "GET /?a=1&a=2 HTTP/1.1\r\nHost: h"})
    EXPECT_EQ(refusal_of(std::string(head) + "\r\n\r\n"), kBadRequest) << head;
  EXPECT_EQ(refusal_of("GET / HTTP/2.0\r\nHost: h\r\n\r\n"), kVersionUnknown);
}

TEST(RequestReader, RefusesLengthsThatAreAmbiguous) {
  const auto with = [](const std::string& headers) {
    return refusal_of("POST / HTTP/1.1\r\nHost: h\r\n" + headers + "\r\nabcd");
  };
  EXPECT_EQ(with("Transfer-Encoding: chunked\r\n"), kNotImplemented);
  EXPECT_EQ(with("Content-Length: 4\r\nTransfer-Encoding: chunked\r\n"), kNotImplemented);
  EXPECT_EQ(with("Content-Length: 4\r\nContent-Length: 4\r\n"), kBadRequest);
  for (const char* length : {"+4", "-4", "0x4", "4 4", "4,4", ""})
    EXPECT_EQ(with(std::string("Content-Length: ") + length + "\r\n"), kBadRequest) << length;
  EXPECT_EQ(with(""), kLengthRequired);
}

TEST(RequestReader, HasLimits) {
  EXPECT_EQ(refusal_of("GET /" + std::string(kMostHead, 'a')), kHeadTooLarge);
  std::string many = "GET / HTTP/1.1\r\nHost: h\r\n";
  for (std::size_t i = 0; i < kMostHeaders; ++i) many += "X: y\r\n";
  EXPECT_EQ(refusal_of(many + "\r\n"), kHeadTooLarge);
  EXPECT_EQ(refusal_of("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 1048577\r\n\r\n"), kTooLarge);
  EXPECT_EQ(refusal_of("PUT / HTTP/1.1\r\nHost: h\r\nContent-Length: 18446744073709551617\r\n\r\n"),
            kTooLarge);
}

TEST(RequestReader, ReadsNothingAfterARefusal) {
  RequestReader reader;
  reader.add("BAD\r\n\r\n");
  EXPECT_FALSE(reader.next());
  reader.add("GET / HTTP/1.1\r\nHost: h\r\n\r\n");
  EXPECT_FALSE(reader.next());
  EXPECT_EQ(reader.refusal(), kBadRequest);
}

}  // namespace
}  // namespace cudalab::serve
