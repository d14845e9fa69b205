// Runs each command once for all tests that need its numbers, and finds the numbers by name.
#include "tests/e2e/lab_values_testing.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <map>
#include <regex>
#include <sstream>
#include <stdexcept>

#include "course/criterion.h"
#include "tests/e2e/program_testing.h"

namespace cudalab::e2e {
namespace {

using Json = nlohmann::json;

const std::filesystem::path kRoot = CUDALAB_SOURCE_DIR;

// ---- of a run ----------------------------------------------------------------------------------------

std::optional<double> number_at(const Json& run, const std::string& pointer) {
  const Json::json_pointer at(pointer);
  return run.contains(at) && run[at].is_number() ? std::optional(run[at].get<double>()) : std::nullopt;
}

std::optional<double> counter_of(const Json& run, const std::string& key) {
  return number_at(run, "/counters/" + key);
}

auto counter(const char* key) {
  return [key](const Json& run) { return counter_of(run, key); };
}

auto ratio(const char* part, const char* whole) {
  return [part, whole](const Json& run) -> std::optional<double> {
    const auto of = counter_of(run, whole);
    if (!of || *of == 0) return std::nullopt;
    return counter_of(run, part).value_or(0) / *of;
  };
}

auto times(const char* pointer, double factor) {
  return [pointer, factor](const Json& run) -> std::optional<double> {
    const auto value = number_at(run, pointer);
    return value ? std::optional(*value * factor) : std::nullopt;
  };
}

constexpr double kPredictedTolerance = 0.1;  // predicted times change with the compiler's version
constexpr double kCompiledTolerance = 0.02;  // so do instruction counts

const std::vector<RunValue>& values() {
  static const std::vector<RunValue> table{
      // clang-format off
      {"load requests", counter("l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
      {"store requests", counter("l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")},
      {"load sectors", counter("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum")},
      {"store sectors", counter("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum")},
      {"sectors a load", ratio("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                               "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
      {"sectors per load", ratio("l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum",
                                 "l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum")},
      {"sectors a store", ratio("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")},
      {"sectors per store", ratio("l1tex__t_sectors_pipe_lsu_mem_global_op_st.sum",
                                  "l1tex__t_requests_pipe_lsu_mem_global_op_st.sum")},
      {"bytes used, %", counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_ld.pct")},
      {"bytes stored used, %", counter("smsp__sass_average_data_bytes_per_sector_mem_global_op_st.pct")},
      {"conflicts a shared load", ratio("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                        "ptx_shared_load_requests")},
      {"conflicts per shared load", ratio("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum",
                                          "ptx_shared_load_requests")},
      {"conflicts a shared store", ratio("l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st.sum",
                                         "ptx_shared_store_requests")},
      {"wavefronts a shared load", ratio("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum",
                                         "ptx_shared_load_requests")},
      {"shared load requests", counter("ptx_shared_load_requests")},
      {"shared load wavefronts", counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum")},
      {"shared load instructions", counter("ptx_shared_load_instructions")},
      {"atomic wavefronts", counter("l1tex__data_pipe_lsu_wavefronts_mem_shared_op_atom.sum")},
      {"wavefronts of shared atomics", times("/extra/shared_atomic_passes", 1)},
      {"reduction sectors", counter("l1tex__t_sectors_pipe_lsu_mem_global_op_red.sum")},
      {"atomic sectors", counter("l1tex__t_sectors_pipe_lsu_mem_global_op_atom.sum")},
      {"texture requests", counter("ptx_texture_requests")},
      {"barriers", counter("ptx_barriers")},
      {"branches", counter("ptx_branches")},
      {"divergent branches", counter("ptx_divergent_branches")},
      {"warp instructions", counter("ptx_warp_instructions"), 4, kCompiledTolerance},
      {"active lanes", counter("ptx_active_lanes_per_instruction"), 4, kCompiledTolerance},
      {"predicted, µs", times("/predicted_ms", 1000), 3, kPredictedTolerance},
      {"ms", times("/time_ms/median", 1)},
      {"µs", times("/time_ms/median", 1000)},
      {"GB/s", times("/gb_s", 1)},
      {"TFLOP/s", times("/gflop_s", 0.001)},
      {"ceiling, %", times("/percent_of_ceiling", 1)},
      {"cycles", times("/extra/latency_cycles", 1)},
      {"on-chip GB/s", times("/extra/on_chip_gb_s", 1)},
      {"error, ulp", times("/extra/ulps_off", 1)},
      // clang-format on
  };
  return table;
}

// ---- where runs come from ----------------------------------------------------------------------------

std::vector<Json> kernels_in(const Json& document) {
  std::vector<Json> rows;
  for (const Json& run : document["runs"])
    if (run["kind"] != "cpu") rows.push_back(run);
  return rows;
}

std::vector<std::string> words_in(const std::string& text) {
  std::istringstream words(text);
  return {std::istream_iterator<std::string>(words), {}};
}

const Json& row_named(const std::vector<Json>& rows, const std::string& name) {
  const auto found = std::find_if(rows.begin(), rows.end(),
                                  [&](const Json& row) { return name.empty() || row["name"] == name; });
  if (found == rows.end()) throw std::runtime_error("there is no row " + name);
  return *found;
}

// The value of "load requests of tree" in these rows; without "of", the value of the first row.
double value_in(const std::vector<Json>& rows, const std::string& wanted) {
  const std::size_t of = wanted.rfind(" of ");
  const bool has_row = of != std::string::npos;
  const RunValue value = value_named(has_row ? wanted.substr(0, of) : wanted);
  const auto number = value.of(row_named(rows, has_row ? wanted.substr(of + 4) : ""));
  if (!number) throw std::runtime_error("the run has no " + wanted);
  return *number;
}

// The value of "number 2 after blocks along rows": the second number after these words in their line.
double number_after(const std::string& text, const std::string& wanted) {
  static const std::regex kWanted("number (\\d+) after (.*)"), kNumber("\\d[\\d,]*(\\.\\d+)?");
  std::smatch parts;
  if (!std::regex_match(wanted, parts, kWanted))
    throw std::runtime_error("not `number N after WORDS`: " + wanted);
  const std::string words = parts[2];
  const std::size_t begin = text.find(words);
  if (begin == std::string::npos) throw std::runtime_error("there is no line with " + words);
  const std::string rest = text.substr(begin + words.size(), text.find('\n', begin) - begin - words.size());
  auto number = std::sregex_iterator(rest.begin(), rest.end(), kNumber);
  for (int skip = std::stoi(parts[1]); skip > 1; --skip) ++number;
  std::string digits = number->str();
  std::erase(digits, ',');
  return std::stod(digits);
}

// The value of a bracketed term, given without its brackets.
double value_of_term(const std::string& term) {
  const std::size_t colon = term.rfind(": ");
  if (colon == std::string::npos) throw std::runtime_error("not `SOURCE: VALUE`: " + term);
  std::vector<std::string> source = words_in(term.substr(0, colon));
  const std::string wanted = term.substr(colon + 2), kind = source.at(0);
  source.erase(source.begin());
  if (kind == "cudalab") return value_in(rows_of(source), wanted);
  if (kind == "card")
    return json_of(kRoot / "cards" / (source.at(0) + ".json")).at("figures").at(wanted).at("value");
  if (kind == "h200" && source.at(0).ends_with(".md"))
    return number_after(read_file(kRoot / "expected" / "h200" / source[0]), wanted);
  if (kind == "h200") return value_in(recorded_rows(source.at(0)), wanted);
  throw std::runtime_error("no source of numbers: " + term);
}

}  // namespace

RunValue value_named(const std::string& name) {
  for (const RunValue& value : values())
    if (value.name == name) return value;
  if (name.starts_with('/')) return {name, [name](const Json& run) { return number_at(run, name); }};
  std::string key = name;
  std::replace(key.begin(), key.end(), ' ', '_');
  return {name, [key](const Json& run) { return number_at(run, "/extra/" + key); }};
}

const std::vector<Json>& rows_of(const std::vector<std::string>& command) {
  static std::map<std::vector<std::string>, std::vector<Json>> kept;
  const auto found = kept.find(command);
  if (found != kept.end()) return found->second;
  std::vector<std::string> words = command;
  words.insert(words.end(), {"--device", "virtual", "--json"});
  const Outcome outcome = cudalab(words);
  if (outcome.code != 0) throw std::runtime_error(outcome.err + outcome.out);
  return kept[command] = kernels_in(Json::parse(outcome.out));
}

std::vector<Json> recorded_rows(const std::string& name) {
  return kernels_in(json_of(kRoot / "expected" / "h200" / (name + ".json")));
}

double value_of(const std::string& sum) {
  static const std::regex kTerm("\\[([^\\]]*)\\]");
  std::string numbers;
  std::size_t at = 0;
  for (auto term = std::sregex_iterator(sum.begin(), sum.end(), kTerm); term != std::sregex_iterator();
       ++term) {
    numbers += sum.substr(at, static_cast<std::size_t>(term->position()) - at);
    numbers += fmt::format("{}", value_of_term((*term)[1]));
    at = static_cast<std::size_t>(term->position() + term->length());
  }
  return course::formula_value(numbers + sum.substr(at), [](std::string_view) { return std::nullopt; });
}

}  // namespace cudalab::e2e
