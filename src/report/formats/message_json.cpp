// Turns messages into JSON: ids and arguments.
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
