// Reading documents that nobody vouches for: what is not there, or is of another kind, is nothing.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>

namespace cudalab::grading {

// The value of a key; null where there is none.
const nlohmann::json& at(const nlohmann::json& object, const std::string& key);

// The same as text; empty where it is none.
std::string text_at(const nlohmann::json& object, const std::string& key);

// The run of that name in a document `cudalab.result/1`; nullptr where there is none.
const nlohmann::json* run_called(const nlohmann::json& document, const std::string& name);

}  // namespace cudalab::grading
