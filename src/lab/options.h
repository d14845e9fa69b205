// Options of a lab as data: the command line and the help are generated from them, and a lab reads their
// values.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "lab/result.h"

namespace cudalab::lab {

enum class OptionKind { kFlag, kInteger, kReal, kChoice, kText };

struct OptionSpec {
  std::string name;  // "tile", without dashes
  OptionKind kind{};
  std::string help;                   // one line, with the unit
  OptionValue on_virtual, on_gpu;     // the defaults; usually the same
  std::int64_t min = 0, max = 0;      // kInteger: both inclusive
  double real_min = 0, real_max = 0;  // kReal
  std::vector<std::string> choices;   // kChoice
  std::optional<OptionValue> bare;    // the value of `--pad` without `=W`; then a value needs the `=`
};

OptionSpec flag(std::string name, std::string help);
OptionSpec integer(std::string name, std::string help, std::int64_t fallback, std::int64_t min,
                   std::int64_t max);
OptionSpec integer(std::string name, std::string help, std::int64_t on_virtual, std::int64_t on_gpu,
                   std::int64_t min, std::int64_t max);
OptionSpec real(std::string name, std::string help, double fallback, double min, double max);
OptionSpec choice(std::string name, std::string help, std::string fallback, std::vector<std::string> choices);
OptionSpec text(std::string name, std::string help, std::string fallback);

// The allowed values for messages and help: "1 to 32", "f32 or f64".
Message allowed_values(const OptionSpec& spec);
// Parses what the user typed. Throws Error(kUsage) if it is not a value of the option's kind; Options::set
// checks the range.
OptionValue parse_option(const OptionSpec& spec, std::string_view text);

// The values of one run. Reading a name that the lab did not declare is a programming error
// (std::logic_error).
class Options {
 public:
  Options(const std::vector<OptionSpec>& specs, bool gpu);  // the defaults
  void set(std::string_view name,
           OptionValue value);              // checks the range: Error(kUsage) names option, value, range
  bool given(std::string_view name) const;  // whether the user set it
  bool flag(std::string_view name) const;
  std::int64_t integer(std::string_view name) const;
  double real(std::string_view name) const;
  const std::string& text(std::string_view name) const;
  std::vector<std::pair<std::string, OptionValue>> effective() const;

 private:
  struct Entry {
    const OptionSpec* spec;
    OptionValue value;
    bool given = false;
  };
  const Entry& entry(std::string_view name) const;
  std::vector<Entry> entries_;
};

}  // namespace cudalab::lab
