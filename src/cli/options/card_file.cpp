// Reads a GPU description in the format of docs/card.schema.json.
#include "cli/options/card_file.h"

#include <algorithm>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "device/device.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

using Json = nlohmann::ordered_json;

constexpr const char* kSchema = "cudalab.card/1";
constexpr std::size_t kLongestName = 60;

Json parsed(const std::string& text, const std::string& file) {
  try {
    return Json::parse(text);
  } catch (const Json::exception&) {
    throw usage_error(msg::card_not_json(file));
  }
}

const Json& member(const Json& object, const char* key, const std::string& file) {
  const auto found = object.find(key);
  if (found == object.end()) throw usage_error(msg::card_key_missing(file, key));
  return *found;
}

std::string name_at(const Json& document, const char* key, const std::string& file) {
  const Json& value = member(document, key, file);
  if (!value.is_string() || value.get_ref<const std::string&>().empty())
    throw usage_error(msg::card_key_not_text(file, key));
  return harmless_line(value.get<std::string>(), kLongestName);
}

vgpu::GivenFigure figure_from(const std::string& key, const Json& given, const std::string& file) {
  const std::string name = harmless_line(key, kLongestName);
  if (!given.is_object() || !given.contains("value") || !given["value"].is_number())
    throw usage_error(msg::card_figure_not_object(file, name));
  if (!given.contains("source") || !given["source"].is_string())
    throw usage_error(msg::card_figure_no_source(file, name));
  return {name, given["value"].get<double>(), given["source"].get<std::string>()};
}

}  // namespace

vgpu::CardDescription description_in(const std::string& text, const std::string& file) {
  const Json document = parsed(text, file);
  if (!document.is_object() || !document.contains("schema") || document["schema"] != kSchema)
    throw usage_error(msg::card_schema_wrong(file, kSchema));
  vgpu::CardDescription card{name_at(document, "id", file), name_at(document, "name", file), false, {}};
  if (const Json& validated = member(document, "validated", file); validated.is_boolean())
    card.validated = validated.get<bool>();
  const Json& figures = member(document, "figures", file);
  if (!figures.is_object()) throw usage_error(msg::card_figures_not_object(file));
  for (const auto& [key, given] : figures.items()) card.figures.push_back(figure_from(key, given, file));
  vgpu::card_of(card);  // throws if a figure is missing or impossible
  return card;
}

vgpu::CardDescription described_card(const std::string& name_or_file) {
  const bool is_path = name_or_file.find('/') != std::string::npos || name_or_file.ends_with(".json");
  if (is_path) return description_in(read_text(name_or_file), name_or_file);
  const std::string& id = device::card_named(name_or_file).id;
  return *std::ranges::find(vgpu::card_descriptions(), id, &vgpu::CardDescription::id);
}

}  // namespace cudalab::cli
