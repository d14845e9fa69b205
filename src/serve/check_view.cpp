// Translates the sentences of documents by their ids.
#include "serve/check_view.h"

#include <nlohmann/json.hpp>
#include <string>

#include "core/languages/units.h"
#include "course/check.h"
#include "report/formats/message_json.h"

namespace cudalab::serve {
namespace {

using Json = nlohmann::ordered_json;

// Replaces the text `key` by the message `message_key`, as a whole sentence in the reader's language.
void translate(Json& object, const char* key, const char* message_key, const Wording& wording) {
  std::string text = object.value(key, "");
  if (object.contains(message_key))
    if (const Message message = report::message_from(object[message_key]); !message.empty())
      text = wording.say(message);
  object[key] = text.empty() ? text : as_sentence(text, wording.language());
}

void translate_part(Json& part, const Wording& wording) {
  part["title"] = course::name_of({.name = part.value("name", "")}, wording);
  translate(part, "sentence", "message", wording);
  translate(part, "advice", "advice_message", wording);
  for (const char* list : {"reasons", "more_errors"})
    if (part.contains(list))
      for (Json& each : part[list]) translate(each, "sentence", "message", wording);
}

}  // namespace

Json check_in_language(const Json& document, const Wording& wording) {
  try {
    Json check = document.at("checks").at(0);
    for (Json& part : check.at("parts")) translate_part(part, wording);
    if (check.contains("repair")) translate(check["repair"], "text", "message", wording);
    if (check.contains("warning_messages"))
      for (std::size_t i = 0; i < check["warnings"].size(); ++i)
        if (const Message message = report::message_from(check["warning_messages"].at(i)); !message.empty())
          check["warnings"][i] = wording.say(message);
    return check;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

Json trace_in_language(const Json& document, const Wording& wording) {
  const auto translate_hazard = [&](Json& hazard) {
    translate(hazard, "what", "message", wording);
    translate(hazard, "fix", "advice", wording);
  };
  try {
    Json trace = document;
    for (Json& step : trace.at("steps"))
      for (Json& hazard : step.at("hazards")) translate_hazard(hazard);
    if (Json& hazard = trace.at("stopped_by"); !hazard.is_null()) translate_hazard(hazard);
    return trace;
  } catch (const Json::exception&) {
    return nullptr;
  }
}

}  // namespace cudalab::serve
