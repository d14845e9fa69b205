// Tests messages as JSON.
#include "report/formats/message_json.h"

#include <gtest/gtest.h>

#include <array>
#include <limits>
#include <nlohmann/json.hpp>

#include "core/diagnostics/catalogue.h"

namespace cudalab::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::array<std::string_view, 1> kSlots{"value"};
constexpr CatalogueEntry kEntry{"sample", "{value}", "", kSlots, "core"};

Message sample(Argument value) { return {kEntry, {std::move(value)}}; }
Json argument(Argument value) { return json_of(sample(std::move(value))).at("arguments").at("value"); }

TEST(MessageJson, HasTheIdAndTheArguments) {
  EXPECT_EQ(json_of(sample(7)), Json::parse(R"({"id": "sample", "arguments": {"value": 7}})"));
}

TEST(MessageJson, KeepsTheTypesOfArguments) {
  EXPECT_EQ(argument("word"), Json("word"));
  EXPECT_EQ(argument(0.5), Json(0.5));
  EXPECT_TRUE(argument(std::numeric_limits<double>::infinity()).is_null());
  EXPECT_EQ(argument(Quantity{3.5, "ms"}), Json::parse(R"({"value": 3.5, "unit": "ms"})"));
  EXPECT_EQ(argument(Code{"in"}), Json::parse(R"({"code": "in"})"));
  EXPECT_EQ(argument(Address{256}), Json::parse(R"({"address": 256})"));
  EXPECT_EQ(argument(SourceLine{"a.cu", 3}), Json::parse(R"({"file": "a.cu", "line": 3})"));
  EXPECT_EQ(argument(ThreadIndex{{1, 2, 0}}), Json::parse(R"({"thread": [1, 2, 0]})"));
  EXPECT_EQ(argument(BlockIndex{{0, 0, 3}}), Json::parse(R"({"block": [0, 0, 3]})"));
  EXPECT_EQ(argument(Element{"tile", {1, 0}}), Json::parse(R"({"buffer": "tile", "index": [1, 0]})"));
  EXPECT_EQ(argument(sample(1)), json_of(sample(1)));
  EXPECT_EQ(argument(Argument::List{1, Code{"x"}}), Json::parse(R"([1, {"code": "x"}])"));
}

// A message of the catalogue with any kind of argument.
Message with_case(Argument value) { return {*find_message("with_case"), {std::move(value)}}; }

TEST(MessageJson, IsReadBack) {
  for (const Argument& value :
       {Argument("word"), Argument(7), Argument(-7), Argument(0.5), Argument(Quantity{3.5, "ms"}),
        Argument(Code{"in"}), Argument(Address{256}), Argument(SourceLine{"a.cu", 3}),
        Argument(ThreadIndex{{1, 2, 0}}), Argument(BlockIndex{{0, 0, 3}}), Argument(Element{"tile", {1, 0}}),
        Argument(with_case(1)), Argument(Argument::List{1, Code{"x"}})})
    EXPECT_EQ(json_of(message_from(json_of(with_case(value)))), json_of(with_case(value)));
  EXPECT_EQ(message_from(json_of(with_case("x"))).text(), with_case("x").text());
}

TEST(MessageJson, IsNotReadBackWhereItIsNoneOfTheCatalogue) {
  for (const char* text :
       {R"({"id": "no_such_id", "arguments": {}})", R"({"id": "with_case", "arguments": {}})", "[]", "null",
        "7", R"({"id": 3, "arguments": {}})", R"({"id": "with_case"})",
        R"({"id": "with_case", "arguments": {"case": {"thread": [1]}}})"})
    EXPECT_TRUE(message_from(Json::parse(text)).empty()) << text;
}

TEST(MessageJson, LeavesOutWhatHasNoId) {
  Json object = Json::object();
  put_message(object, "message", {});
  put_message(object, "message", Message::verbatim("ptxas said so"));
  EXPECT_TRUE(object.empty());
  put_message(object, "message", sample(1));
  EXPECT_EQ(object["message"], json_of(sample(1)));
}

TEST(MessageJson, KeepsTheOrderOfSeveral) {
  Json object = Json::object();
  put_messages(object, "messages", {});
  EXPECT_TRUE(object.empty());
  put_messages(object, "messages", std::vector{sample(1), Message::verbatim("ptxas said so"), sample(2)});
  EXPECT_EQ(object["messages"], Json::array({json_of(sample(1)), nullptr, json_of(sample(2))}));
}

}  // namespace
}  // namespace cudalab::report
