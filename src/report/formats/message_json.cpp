// Converts messages to JSON (ids and arguments) and back.
#include "report/formats/message_json.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "core/diagnostics/catalogue.h"

namespace cudalab::report {
namespace {

using Json = nlohmann::ordered_json;

Json json_of_number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

Json json_of(const Dim3& at) { return Json::array({at.x, at.y, at.z}); }

struct ToJson {
  Json operator()(const std::string& text) const { return text; }
  Json operator()(std::int64_t number) const { return number; }
  Json operator()(std::uint64_t number) const { return number; }
  Json operator()(double number) const { return json_of_number(number); }
  Json operator()(const Quantity& it) const {
    return Json::object({{"value", json_of_number(it.value)}, {"unit", it.unit}});
  }
  Json operator()(const Code& it) const { return Json::object({{"code", it.text}}); }
  Json operator()(const Address& it) const { return Json::object({{"address", it.value}}); }
  Json operator()(const SourceLine& it) const { return Json::object({{"file", it.file}, {"line", it.line}}); }
  Json operator()(const ThreadIndex& it) const { return Json::object({{"thread", json_of(it.at)}}); }
  Json operator()(const BlockIndex& it) const { return Json::object({{"block", json_of(it.at)}}); }
  Json operator()(const Element& it) const {
    return Json::object({{"buffer", it.buffer}, {"index", it.index}});
  }
  Json operator()(const Message& it) const { return report::json_of(it); }
  Json operator()(const Argument::List& list) const {
    Json array = Json::array();
    for (const Argument& each : list) array.push_back(std::visit(*this, each.value()));
    return array;
  }
};

}  // namespace

nlohmann::ordered_json json_of(const Message& message) {
  Json arguments = Json::object();
  if (const CatalogueEntry* entry = message.entry())
    for (std::size_t i = 0; i < entry->slots.size(); ++i)
      arguments[std::string(entry->slots[i])] = std::visit(ToJson{}, message.arguments().at(i).value());
  return Json::object({{"id", std::string(message.id())}, {"arguments", std::move(arguments)}});
}

namespace {

constexpr std::size_t kDeepest = 16;  // messages within messages

Dim3 dim3_from(const Json& json) { return {json.at(0), json.at(1), json.at(2)}; }

Argument argument_from(const Json& json, std::size_t depth);

Message message_within(const Json& object, std::size_t depth) {
  if (depth > kDeepest || !object.is_object() || !object.contains("arguments")) return {};
  const CatalogueEntry* const entry = find_message(object.value("id", ""));
  if (!entry) return {};
  std::vector<Argument> arguments;
  for (const std::string_view slot : entry->slots)
    arguments.push_back(argument_from(object.at("arguments").at(std::string(slot)), depth + 1));
  return {*entry, std::move(arguments)};
}

Argument argument_of_kind(const Json& json, std::size_t depth) {
  if (json.contains("id")) return message_within(json, depth);
  if (json.contains("code")) return Code{json.at("code")};
  if (json.contains("address")) return Address{json.at("address")};
  if (json.contains("thread")) return ThreadIndex{dim3_from(json.at("thread"))};
  if (json.contains("block")) return BlockIndex{dim3_from(json.at("block"))};
  if (json.contains("unit")) {
    const double value = json.at("value").is_null() ? NAN : json.at("value").get<double>();
    return Quantity{value, json.at("unit")};
  }
  if (json.contains("buffer")) return Element{json.at("buffer"), json.at("index")};
  return SourceLine{json.at("file"), json.at("line")};
}

Argument argument_from(const Json& json, std::size_t depth) {
  if (json.is_object()) return argument_of_kind(json, depth);
  if (json.is_string()) return json.get<std::string>();
  if (json.is_number_unsigned()) return json.get<std::uint64_t>();
  if (json.is_number_integer()) return json.get<std::int64_t>();
  if (json.is_number()) return json.get<double>();
  if (json.is_null()) return static_cast<double>(NAN);
  Argument::List list;
  for (const Json& each : json) list.push_back(argument_from(each, depth));
  return list;
}

}  // namespace

Message message_from(const Json& object) {
  try {
    return message_within(object, 0);
  } catch (const Json::exception&) {
    return {};
  }
}

namespace {

bool has_id(const Message& message) { return !message.empty() && message.id() != "verbatim"; }

}  // namespace

void put_message(nlohmann::ordered_json& object, const std::string& key, const Message& message) {
  if (has_id(message)) object[key] = json_of(message);
}

void put_messages(nlohmann::ordered_json& object, const std::string& key, std::span<const Message> messages) {
  for (const Message& message : messages)
    object[key].push_back(has_id(message) ? json_of(message) : Json(nullptr));
}

}  // namespace cudalab::report
