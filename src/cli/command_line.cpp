// Builds CLI11 options from the option rows, and turns CLI11's errors into messages. CLI11's header takes
// seconds to compile, so only this file includes it.
#include "cli/command_line.h"

#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>
#include <utility>

#include "cli/options/lab_options.h"
#include "core/error.h"
#include "messages/cli.h"

namespace cudalab::cli {
namespace {

class Parser {
 public:
  Parser(const std::string& verb, const Options& options) : verb_(verb) {
    app_.set_help_flag();
    app_.allow_extras();
    app_.option_defaults()->multi_option_policy(CLI::MultiOptionPolicy::TakeLast);
    for (const Option& option : options) {
      if (std::holds_alternative<BehindDashes>(option.to)) continue;
      std::visit([&](const auto& to) { return add(option, to); }, option.to)->required(option.is_required);
    }
  }

  void read(const Words& words) {
    try {
      app_.parse(Words(words.rbegin(), words.rend()));  // CLI11 expects the words in reverse order
    } catch (const CLI::ArgumentMismatch& error) {
      const std::string_view message = error.what();
      throw usage_error(msg::option_value_missing(message.substr(0, message.find(':')), verb_));
    } catch (const CLI::ParseError& error) {
      throw usage_error(msg::command_line_wrong(error.what(), verb_));
    }
    refuse_what_is_left(words);
    for (const auto& [option, to] : optional_)
      if (option->count() > 0) *to = option->results().back();
  }

 private:
  CLI::Option* add(const Option& option, std::string* to) { return app_.add_option(option.name, *to); }
  CLI::Option* add(const Option& option, bool* to) { return app_.add_flag(option.name, *to); }
  CLI::Option* add(const Option& option, std::vector<std::string>* to) {
    CLI::Option* added = app_.add_option(option.name, *to)->take_all();
    return option.is_argument() ? added->expected(0, -1) : added->allow_extra_args(false);
  }
  CLI::Option* add(const Option& option, std::optional<std::string>* to) {
    return optional_.emplace_back(app_.add_option(option.name), to).first;
  }
  CLI::Option* add(const Option& option, const MayBeBare& text) {
    const std::string name = fmt::format("{}{{{}}}", option.name, text.bare);
    return optional_.emplace_back(app_.add_flag(name), text.to).first;
  }

  CLI::Option* add(const Option&, const BehindDashes&) { return nullptr; }  // not parsed by CLI11

  void refuse_what_is_left(const Words& words) const;
  Words option_names() const;

  std::string verb_;
  CLI::App app_;
  std::vector<std::pair<CLI::Option*, std::optional<std::string>*>> optional_;
};

// CLI11 would read `--json=` as `--json`, which means something else.
void refuse_empty_values(const Words& words) {
  for (const std::string& word : words)
    if (word.starts_with("--") && word.size() > 3 && word.find('=') == word.size() - 1)
      throw usage_error(msg::option_equals_nothing(word));
}

// The hint for `--pad 2`, where the option takes its value after an equals sign.
Message equals_sign_hint(const Words& words, const std::string& left) {
  auto found = std::find(words.begin(), words.end(), left);
  bool after_option = found != words.begin() && found != words.end() && found[-1].starts_with("--");
  return after_option ? msg::hint_did_you_mean_equals(found[-1], left) : Message();
}

Words Parser::option_names() const {
  Words names{"--help"};
  for (const CLI::Option* option : app_.get_options())
    for (const std::string& name : option->get_lnames()) names.push_back("--" + name);
  return names;
}

void Parser::refuse_what_is_left(const Words& words) const {
  const Words left = app_.remaining();
  if (left.empty()) return;
  const std::string word = left.front().substr(0, left.front().find('='));
  if (word.starts_with("-") && word != "-")
    throw usage_error(msg::option_unknown(verb_, word, did_you_mean(word, option_names())));
  throw usage_error(msg::word_not_taken(verb_, word, equals_sign_hint(words, word)));
}

}  // namespace

void read_words(const std::string& verb, const Options& options, const Words& all_words) {
  Words words = all_words;
  for (const Option& option : options)
    if (const auto* behind = std::get_if<BehindDashes>(&option.to)) {
      const auto dashes = std::find(words.begin(), words.end(), "--");
      if (dashes != words.end()) behind->to->assign(dashes + 1, words.end());
      words.erase(dashes, words.end());
    }
  refuse_empty_values(words);
  Parser(verb, options).read(words);
}

}  // namespace cudalab::cli
