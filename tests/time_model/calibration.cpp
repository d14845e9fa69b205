#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>
#include <stdexcept>

#include "calibration_testing.h"
#include "core/digest.h"
#include "core/files.h"
#include "vgpu/time/launch_features.h"

namespace cudalab::calibration {
namespace {

// "4,2": missing sides are 1.
Dim3 sides(const std::string& text) {
  std::istringstream in(text);
  std::uint32_t side[3] = {1, 1, 1};
  std::string word;
  for (int i = 0; i < 3 && std::getline(in, word, ','); ++i)
    side[i] = static_cast<std::uint32_t>(std::stoul(word));
  return {side[0], side[1], side[2]};
}

void set(CalibrationLaunch& launch, const std::string& key, const std::string& value) {
  if (key == "file")
    launch.file = value;
  else if (key == "kernel")
    launch.kernel = value;
  else if (key == "grid")
    launch.spec.grid = sides(value);
  else if (key == "block")
    launch.spec.block = sides(value);
  else if (key == "shared")
    launch.spec.dynamic_shared_bytes = std::stoull(value);
  else if (key == "arg")
    launch.arguments.push_back(value);
  else if (key == "define")
    launch.defines.emplace_back(value.substr(0, value.find('=')), value.substr(value.find('=') + 1));
  else
    throw std::runtime_error("list of launches: `" + launch.name + "` has an unknown word `" + key + "`");
}

CalibrationLaunch launch_of(const std::string& line) {
  std::istringstream words(line);
  CalibrationLaunch launch;
  words >> launch.name;
  for (std::string word; words >> word;) {
    const auto equals = word.find('=');
    if (equals == std::string::npos) throw std::runtime_error("list of launches: no `=` in `" + word + "`");
    set(launch, word.substr(0, equals), word.substr(equals + 1));
  }
  return launch;
}

// In the text of a define, `~` stands for a blank.
std::string with_blanks(std::string text) {
  for (char& c : text)
    if (c == '~') c = ' ';
  return text;
}

}  // namespace

std::vector<CalibrationLaunch> calibration_launches(const std::string& list) {
  std::istringstream lines(read_text(list));
  std::vector<CalibrationLaunch> launches;
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line[0] != '#') launches.push_back(launch_of(line));
  return launches;
}

std::string ptx_name(const CalibrationLaunch& launch) {
  std::string key = launch.file;
  for (const auto& [name, value] : launch.defines) key += '\n' + name + '=' + value;
  return digest(key) + ".ptx";
}

compile::CompiledSource compiled(const CalibrationLaunch& launch) {
  compile::CompileRequest request;
  request.source = read_text(launch.file);
  request.file_name = launch.file;
  request.wants_resources = true;
  for (const auto& [name, value] : launch.defines) request.defines.emplace_back(name, with_blanks(value));
  return compile::compile(request);
}

device::Launch prepared(const CalibrationLaunch& wanted, const device::Kernel& kernel,
                        lab::BoundArguments& arguments) {
  for (const std::string& text : wanted.arguments) arguments.add(lab::parse_argument(text), "arg");
  arguments.fill();
  device::Launch launch;
  launch.kernel = &kernel;
  launch.spec = wanted.spec;
  launch.arguments = arguments.arguments();
  launch.options.checks = Checks::kNone;
  return launch;
}

std::vector<RecordedLaunch> recorded_launches(const std::string& file) {
  std::istringstream lines(read_text(file));
  std::vector<RecordedLaunch> launches;
  for (std::string line; std::getline(lines, line);) {
    const auto record = nlohmann::json::parse(line);
    if (!record.contains("inputs")) continue;
    vgpu::NamedNumbers inputs;
    for (const auto& [name, value] : record.at("inputs").items())
      inputs.emplace_back(name, value.get<double>());
    launches.push_back({record.at("name"), 1e3 * record.at("cold_ms").at("median").get<double>(),
                        record.at("resident_blocks"), vgpu::features_from(inputs)});
  }
  return launches;
}

}  // namespace cudalab::calibration
