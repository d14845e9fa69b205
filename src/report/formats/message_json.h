// Messages in JSON documents: {"id": "access_past_end", "arguments": {"count": 1}}, independent of the
// wording.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>

#include "core/diagnostics/message.h"

namespace cudalab::report {

nlohmann::ordered_json json_of(const Message& message);
// The message from the output of json_of(). Empty if the catalogue does not contain its id, or its arguments
// are not those of the catalogue.
Message message_from(const nlohmann::ordered_json& object);

// Sets `key` of the object. Omits an empty message, and text without an id, which comes from a compiler or a
// kernel.
void put_message(nlohmann::ordered_json& object, const std::string& key, const Message& message);

// Sets `key` to an array with one element per message; null stands for text without an id. If there are no
// messages, `key` is left out.
void put_messages(nlohmann::ordered_json& object, const std::string& key, std::span<const Message> messages);

}  // namespace cudalab::report
