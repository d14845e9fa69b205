// Reads a recording: a result document of a GPU.
#include "cli/recorded.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "core/error.h"
#include "core/files.h"
#include "core/text.h"
#include "lab/locate.h"

namespace cudalab::cli {
namespace {

using Json = nlohmann::ordered_json;

std::optional<double> time_of(const Json& document, const std::string& stage) {
  for (const Json& run : document.at("runs"))
    if (run.at("name") == stage && run.at("time_ms").is_object())
      return run.at("time_ms").at("median").get<double>();
  return std::nullopt;
}

// "recorded on an NVIDIA H200 with rows 8192, cols 8192"
std::string sentence_on(const Json& document) {
  std::vector<std::string> options;
  for (const auto& [name, value] : document.at("options").items())
    if (name != "seed")
      options.push_back(with_blanks(name) + " " +
                        (value.is_string() ? value.get<std::string>() : value.dump()));
  return fmt::format("recorded on an {} with {}", document.at("device").at("name").get<std::string>(),
                     joined(options));
}

}  // namespace

void add_recorded_times(lab::Result& result, const std::string& text, const std::string& file) {
  try {
    const Json document = Json::parse(text);
    for (lab::Row& row : result.rows)
      if (!lab::is_cpu(row)) row.recorded_ms = time_of(document, row.name);
    result.recorded = sentence_on(document);
  } catch (const Json::exception&) {
    throw usage_error("{} is no recording of a lab; leave --recorded out", file);
  }
}

void add_recorded_times(lab::Result& result, const std::string& lab) {
  const std::filesystem::path file =
      lab::labs_directory().parent_path() / "expected" / "h200" / (lab + ".json");
  if (!is_there(file))
    throw usage_error("there is no recording of {} on an H200 ({} is missing); leave --recorded out", lab,
                      file.string());
  add_recorded_times(result, read_text(file), file.string());
}

}  // namespace cudalab::cli
