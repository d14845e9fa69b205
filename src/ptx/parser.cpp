// The parser's entry point, its handling of tokens, and the grammar of modules.
#include "ptx/parser.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/error.h"
#include "core/text.h"
#include "messages/ptx.h"
#include "ptx/lexer.h"

namespace cudalab::ptx {

void LineTable::start_function() {
  last_at_.clear();
  current_ = 0;
}

void LineTable::set(const Position& position) {
  if (position.line != 0) add(position, 0);
}

void LineTable::set_inlined(const Position& position, const Position& parent) {
  if (position.line == 0) return;
  const auto known = last_at_.find(parent);
  if (known != last_at_.end()) return add(position, known->second);
  locations_.push_back({parent, 0});
  add(position, locations_.size() - 1);
}

void LineTable::add(const Position& position, std::size_t inlined_at) {
  current_ = locations_.size();
  locations_.push_back({position, inlined_at});
  last_at_[position] = current_;
}

void LineTable::describe(std::size_t number, const std::vector<std::string>& files,
                         Instruction& instruction) {
  if (number == 0) return;
  instruction.where = source_line(locations_[number].position, files);
  for (number = locations_[number].inlined_at; number != 0; number = locations_[number].inlined_at) {
    if (instruction.inlined_at.size() == kMaxInlineDepth) return;
    instruction.inlined_at.push_back(source_line(locations_[number].position, files));
  }
}

SourceLine LineTable::source_line(const Position& position, const std::vector<std::string>& files) {
  SourceLine line;
  if (position.file < files.size()) line.file = files[position.file];
  line.line = static_cast<int>(position.line);
  bytes_ += sizeof(SourceLine) + line.file.size();
  if (bytes_ > kMaxLineTableBytes) throw usage_error(msg::ptx_line_information_too_large());
  return line;
}

namespace {

struct LinkageName {
  std::string_view directive;
  bool Linkage::*flag;
};
constexpr std::array<LinkageName, 4> kLinkages{{
    {".extern", &Linkage::is_extern},
    {".visible", &Linkage::is_visible},
    {".weak", &Linkage::is_weak},
    {".common", &Linkage::is_common},
}};

// The unexpected text, shortened and printable, for an error message.
Argument shown(const Token& token) {
  if (token.kind == Token::Kind::kEnd) return msg::ptx_found_end();
  return Code{harmless_line(token.text, kShownNameLength)};
}

}  // namespace

Module parse(std::string_view text, std::string_view name) { return Parser(text, name).parse_module(); }

// ---- tokens ------------------------------------------------------------------------------------------

Token Parser::take() {
  const Token taken = token_;
  token_ = lexer_.next();
  return taken;
}

bool Parser::accept(std::string_view text) {
  if (!at(text)) return false;
  take();
  return true;
}

void Parser::expect(std::string_view text) {
  if (!accept(text)) fail_expected(Code{std::string(text)});
}

Token Parser::expect(Token::Kind kind, Term what) {
  if (!at(kind)) fail_expected(what());
  return take();
}

void Parser::fail_expected(Argument what) const {
  fail(token_, msg::ptx_expected(std::move(what), shown(token_)));
}

// u32 ::= an integer constant of at most 32 bits
std::uint32_t Parser::parse_u32(Term what) {
  return static_cast<std::uint32_t>(parse_size(what, UINT32_MAX));
}

// size ::= an integer constant from 0 to `limit`
std::uint64_t Parser::parse_size(Term what, std::uint64_t limit) {
  const Token where = token_;
  const std::uint64_t value = parse_integer(what);
  if (value > limit) fail(where, msg::ptx_number_too_large(what(), value, limit));
  return value;
}

// declared_name ::= a word without dots
std::string Parser::parse_declared_name() {
  if (!at(Kind::kWord) || token_.text.find_first_of(".:") != std::string_view::npos)
    fail_expected(msg::ptx_term_name());
  return std::string(take().text);
}

// ---- module ------------------------------------------------------------------------------------------

// module ::= version target address_size? module_item*
Module Parser::parse_module() {
  parse_version();
  parse_target();
  if (at(".address_size")) parse_address_size();
  while (!at(Kind::kEnd)) parse_module_item();
  resolve_lines();
  return std::move(module_);
}

// version ::= ".version" MAJOR "." MINOR
void Parser::parse_version() {
  expect(".version");
  const Token number = expect(Kind::kNumber, msg::ptx_term_version);
  const char* end = number.text.data() + number.text.size();
  const auto major = std::from_chars(number.text.data(), end, module_.version_major);
  if (major.ec != std::errc{} || major.ptr == end || *major.ptr != '.')
    fail(number, msg::ptx_version_expected());
  const auto minor = std::from_chars(major.ptr + 1, end, module_.version_minor);
  if (minor.ec != std::errc{} || minor.ptr != end) fail(number, msg::ptx_version_expected());
}

// target ::= ".target" WORD ("," WORD)*
void Parser::parse_target() {
  expect(".target");
  module_.target = expect(Kind::kWord, msg::ptx_term_target).text;
  while (accept(","))
    module_.target_options.emplace_back(expect(Kind::kWord, msg::ptx_term_target_option).text);
}

// address_size ::= ".address_size" (32 | 64)
void Parser::parse_address_size() {
  take();
  const Token where = token_;
  module_.address_size = static_cast<int>(parse_u32(msg::ptx_term_address_size));
  if (module_.address_size != 32 && module_.address_size != 64) fail(where, msg::ptx_address_size_wrong());
}

// module_item ::= file | section | pragma | alias | linkage (function | variables ";")
void Parser::parse_module_item() {
  if (at(".file")) return parse_file();
  if (at(".section")) return parse_section();
  if (at(".pragma")) return parse_pragma();
  if (at(".alias")) return parse_alias();
  const Linkage linkage = parse_linkage();
  if (accept(".entry")) return parse_function(linkage, true);
  if (accept(".func")) return parse_function(linkage, false);
  if (!space_of(token_.text) || at(".reg")) fail_expected(msg::ptx_term_module_item());
  for (auto& [name, variable] : parse_variables(linkage)) add_module_variable(std::move(variable), name);
  expect(";");
}

// file ::= ".file" NUMBER STRING ("," timestamp "," size)?
void Parser::parse_file() {
  take();
  const std::size_t number = parse_size(msg::ptx_term_file_number, kMaxFiles);
  const Token path = expect(Kind::kString, msg::ptx_term_file_name);
  if (module_.files.size() <= number) module_.files.resize(number + 1);
  module_.files[number] = path.text;
  while (accept(",")) parse_integer(msg::ptx_term_time_stamp_or_size);
}

// section ::= ".section" DIRECTIVE+ "{" anything "}"       debug information; skipped
void Parser::parse_section() {
  take();
  while (at(Kind::kDirective) || at(Kind::kWord)) take();
  if (!at("{")) fail_expected(Code{"{"});
  lexer_.skip_past_closing_brace();
  token_ = lexer_.next();
}

// pragma ::= ".pragma" STRING ("," STRING)* ";"            hints to the assembler
void Parser::parse_pragma() {
  take();
  parse_list([&] { expect(Kind::kString, msg::ptx_term_string); });
  expect(";");
}

// alias ::= ".alias" NAME "," NAME ";"
void Parser::parse_alias() {
  take();
  Alias alias;
  alias.name = parse_declared_name();
  expect(",");
  alias.target = parse_declared_name();
  expect(";");
  module_.aliases.push_back(std::move(alias));
}

// linkage ::= (".extern" | ".visible" | ".weak" | ".common")*
Linkage Parser::parse_linkage() {
  Linkage linkage;
  while (true) {
    const auto row =
        std::find_if(kLinkages.begin(), kLinkages.end(), [&](auto& l) { return at(l.directive); });
    if (row == kLinkages.end()) return linkage;
    linkage.*row->flag = true;
    take();
  }
}

// A definition replaces an `.extern` declaration of the same name; a repeated `.extern` changes nothing.
void Parser::add_module_variable(Variable variable, const Token& name) {
  const auto [known, is_new] = variables_.try_emplace(variable.name, module_.variables.size());
  if (is_new) {
    module_.variables.push_back(std::move(variable));
    return;
  }
  Variable& earlier = module_.variables[known->second];
  if (!earlier.is_extern && !variable.is_extern) fail(name, msg::ptx_declared_twice(shown(name)));
  if (earlier.is_extern) earlier = std::move(variable);
}

// `.file` directives come after the functions, so instructions get their lines at the end.
void Parser::resolve_lines() {
  for (std::size_t f = 0; f < module_.functions.size(); ++f) {
    std::vector<Statement>& body = module_.functions[f].body;
    for (std::size_t s = 0; s < body.size(); ++s)
      if (Instruction* instruction = std::get_if<Instruction>(&body[s]))
        lines_.describe(line_numbers_[f][s], module_.files, *instruction);
  }
}

}  // namespace cudalab::ptx
