// Takes names of bulk downloads apart.
#include "grading/identity/platform_names.h"

#include <nlohmann/json.hpp>

#include "core/words/text_pattern.h"

namespace cudalab::grading {
namespace {

using Json = nlohmann::json;

// A further attempt of Canvas: kernel-1.cu was handed in as kernel.cu.
std::string without_attempt(const std::string& original) {
  static const TextPattern attempt(R"(-\d{1,2}(\.[^.]+)$)");
  return attempt.replace_all(original, "$1");
}

std::string text_of(const Json& object, const char* key) {
  const auto found = object.is_object() ? object.find(key) : object.end();
  if (!object.is_object() || found == object.end() || found->is_null()) return "";
  return found->is_string() ? found->get<std::string>() : found->dump();
}

}  // namespace

std::optional<PlatformName> platform_name(std::string_view name) {
  static const TextPattern moodle(R"(([^_/]+)_(\d+)_assignsubmission_file_?(.*))");
  static const TextPattern canvas(R"(([a-z0-9-]+)_(LATE_)?(\d+)_(\d+)_(.+))");
  if (const auto found = moodle.fits(name))
    return PlatformName{found->groups[2], found->groups[1], found->groups[3]};
  if (const auto found = canvas.fits(name))
    return PlatformName{found->groups[3], found->groups[1], without_attempt(found->groups[5]),
                        !found->groups[2].empty()};
  return std::nullopt;
}

std::optional<GradescopeMetadata> gradescope_metadata(std::string_view json) {
  const Json text = Json::parse(json, nullptr, false);
  if (!text.is_object() || !text.contains("users") || !text["users"].is_array() || text["users"].empty())
    return std::nullopt;
  const Json& user = text["users"][0];
  GradescopeMetadata metadata{text_of(user, "email"), text_of(user, "name"), text_of(text, "created_at"), ""};
  if (metadata.id.empty()) metadata.id = text_of(user, "id");
  for (const Json& place : {user, text})
    if (metadata.due_date.empty() && place.contains("assignment"))
      metadata.due_date = text_of(place["assignment"], "due_date");
  return metadata;
}

}  // namespace cudalab::grading
