// Tokens with operators of several characters, the variables with their types, and one function for each kind
// of edit.
#include "course/repair_edits.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <set>

#include "compile/sources/source_parts.h"

namespace cudalab::course {
namespace {

using compile::SourceToken;
using compile::TokenKind;
using Texts = std::vector<std::string_view>;

constexpr std::array<std::string_view, 22> kOperators{
    "<<<", ">>>", "<<=", ">>=", "==", "!=", "<=", ">=", "&&", "||", "<<",
    ">>",  "+=",  "-=",  "*=",  "/=", "%=", "&=", "|=", "++", "--", "->"};

// Words that begin no expression and name no variable.
const std::set<std::string_view> kKeywords{
    "if",        "else",       "for",        "while",      "do",           "return",
    "break",     "continue",   "const",      "unsigned",   "int",          "float",
    "double",    "long",       "short",      "char",       "bool",         "size_t",
    "void",      "extern",     "static",     "volatile",   "struct",       "template",
    "typename",  "using",      "sizeof",     "true",       "false",        "auto",
    "constexpr", "__shared__", "__global__", "__device__", "__restrict__", "__host__",
    "switch",    "case",       "default",    "goto",       "signed",       "inline",
    "namespace", "class",      "operator",   "new",        "delete",       "nullptr",
    "this",      "register",   "asm",        "union",      "enum",         "__forceinline__"};

class Editor {
 public:
  explicit Editor(std::string_view source) : source_(source) {
    for (const SourceToken& token : compile::tokens_of(source))
      if (token.kind != TokenKind::kDirective) join(token);
    find_bodies();
    find_variables();
  }

  std::vector<Edit> all() {
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!in_body_[i]) continue;
      comparison(i);
      operation(i);
      index(i);
      variable(i);
      constant(i);
      function(i);
      type(i);
      condition(i);
      left_out(i);
      exchanged(i);
      exchanged_subscripts(i);
      without_initial_value(i);
      lacking(i);
    }
    rarer_from_ = edits_.size();
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      if (!in_body_[i]) continue;
      whole_division(i);
      exchanged_operands(i);
      exchanged_arguments(i);
      further_condition(i);
      other_lane(i);
      other_extent(i);
      other_element(i);
      offset_argument(i);
      added_amount(i);
      variable_argument(i);
      squared(i);
    }
    const std::size_t rarer_to = edits_.size();
    for (const Statement& statement : statements_) {
      update(statement);
      guard(statement);
      superfluous(statement);
    }
    barriers();
    for (std::size_t i = 0; i < edits_.size(); ++i)
      edits_[i].rank = rank_of(edits_[i]) + (i >= rarer_from_ && i < rarer_to ? kRarer : 0);
    std::ranges::stable_sort(edits_, {}, &Edit::rank);
    return std::move(edits_);
  }

 private:
  // ---- the source
  // ------------------------------------------------------------------------------------------

  // Marks of one character that touch become operators.
  void join(const SourceToken& token) {
    if (token.kind == TokenKind::kMark && !tokens_.empty()) {
      SourceToken& last = tokens_.back();
      const std::string_view both = source_.substr(last.begin, token.end() - last.begin);
      if (last.kind == TokenKind::kMark && last.end() == token.begin && is_operator(both)) {
        last.text = both;
        return;
      }
    }
    tokens_.push_back(token);
  }
  static bool is_operator(std::string_view text) {
    return std::ranges::find(kOperators, text) != kOperators.end();
  }

  void find_bodies() {
    in_body_.resize(tokens_.size());
    int depth = 0, parentheses = 0;
    std::size_t begin = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = tokens_[i].text;
      if (text == "}") --depth;
      in_body_[i] = depth > 0;
      if (text == "(") ++parentheses;
      if (text == ")") --parentheses;
      if (text == "{") ++depth;
      if (text == "{" || text == "}") begin = i + 1;
      if (text == ";" && parentheses == 0 && depth > 0) {
        statements_.push_back({skipped_heads(begin, i), i});
        begin = i + 1;
      }
    }
  }
  // Without `if (…)`, `for (…)` and `else` in front.
  std::size_t skipped_heads(std::size_t begin, std::size_t end) const {
    while (begin < end) {
      const std::string_view text = tokens_[begin].text;
      if (text == "else" || text == "do") {
        ++begin;
      } else if ((text == "if" || text == "for" || text == "while") && begin + 1 < end &&
                 at(begin + 1) == "(") {
        begin = closing(begin + 1) + 1;
      } else {
        break;
      }
    }
    return std::min(begin, end);
  }
  std::size_t closing(std::size_t open) const {
    int depth = 0;
    for (std::size_t i = open; i < tokens_.size(); ++i) {
      if (at(i) == "(" || at(i) == "[") ++depth;
      if ((at(i) == ")" || at(i) == "]") && --depth == 0) return i;
    }
    return tokens_.size() - 1;
  }

  std::string_view at(std::size_t i) const {
    return i < tokens_.size() ? tokens_[i].text : std::string_view();
  }
  bool is_word(std::size_t i) const { return i < tokens_.size() && tokens_[i].kind == TokenKind::kWord; }
  bool is_name(std::size_t i) const { return is_word(i) && !kKeywords.contains(at(i)); }
  bool is_number(std::size_t i) const {
    return i < tokens_.size() && tokens_[i].kind == TokenKind::kText && !at(i).empty() &&
           (std::isdigit(static_cast<unsigned char>(at(i).front())) || at(i).front() == '.');
  }
  // Whether an operand ends there, so an operator behind it is a binary one.
  bool ends_operand(std::size_t i) const {
    return is_name(i) || is_number(i) || at(i) == ")" || at(i) == "]" || at(i) == "true" || at(i) == "false";
  }

  static constexpr int kRarer = 100;

  // The most frequent mistakes first; kinds with many edits and few hits last.
  static int rank_of(const Edit& edit) {
    constexpr std::array kOrder{EditKind::kComparison, EditKind::kUpdate,   EditKind::kBarrier,
                                EditKind::kIndex,      EditKind::kConstant, EditKind::kOperator,
                                EditKind::kFunction,   EditKind::kVariable, EditKind::kType,
                                EditKind::kGuard,      EditKind::kStatement};
    const bool appends_term = edit.begin == edit.end && edit.kind == EditKind::kOperator;
    return appends_term ? static_cast<int>(kOrder.size())
                        : static_cast<int>(std::ranges::find(kOrder, edit.kind) - kOrder.begin());
  }

  // ---- variables
  // -------------------------------------------------------------------------------------------

  static bool is_type_word(std::string_view text) {
    static const std::set<std::string_view> words{"int",  "unsigned", "size_t", "float", "double",
                                                  "long", "short",    "char",   "bool",  "TYPE"};
    return words.contains(text);
  }
  // TYPE NAME, TYPE* NAME, and further names behind a comma.
  void find_variables() {
    std::string type;
    int depth = 0;
    for (std::size_t i = 0; i < tokens_.size(); ++i) {
      const std::string_view text = at(i);
      if (text == "(") ++depth;
      if (text == ")") --depth;
      if (text == ";" || text == "{" || text == "}") type.clear();
      if (is_type_word(text) && at(i + 1) != "(") {
        type = text == "size_t" || text == "long" || text == "unsigned" ? "int" : std::string(text);
        if (text == "unsigned" && is_type_word(at(i + 1))) continue;
      } else if ((text == "*" || text == "&") && !type.empty() && i > 0 && is_type_word(at(i - 1))) {
        type += '*';
      } else if (is_name(i) && !type.empty() && declares(i)) {
        types_.emplace(text, type);
        if (at(i + 1) != "[" && !type.ends_with("*"))
          scalars_.push_back({text, type == "int", i, scope_end(i)});
      }
    }
  }
  // A variable with a number, and the tokens between which it can be used.
  struct Scalar {
    std::string_view name;
    bool is_whole;
    std::size_t from, to;
  };
  // The end of the block, of the loop whose head declares it, or of the function whose parameter it is.
  std::size_t scope_end(std::size_t declared) const {
    std::size_t i = declared;
    int parentheses = 0;
    while (i > 0 && at(i) != ";" && at(i) != "{" && at(i) != "}" && parentheses <= 0) {
      --i;
      if (at(i) == "(") ++parentheses;
      if (at(i) == ")") --parentheses;
    }
    const bool is_in_head = parentheses > 0;
    std::size_t at_end = is_in_head ? closing(i) + 1 : declared;
    if (is_in_head && at(at_end) != "{") return next(at_end, ";");
    int depth = 0;
    for (; at_end < tokens_.size(); ++at_end) {
      if (at(at_end) == "{") ++depth;
      if (at(at_end) == "}" && --depth < (is_in_head ? 1 : 0)) return at_end;
    }
    return at_end;
  }
  std::size_t next(std::size_t i, std::string_view text) const {
    while (i < tokens_.size() && at(i) != text) ++i;
    return i;
  }
  std::vector<Scalar> scalars_at(std::size_t i) const {
    std::vector<Scalar> found;
    for (const Scalar& scalar : scalars_)
      if (scalar.from < i && i < scalar.to) found.push_back(scalar);
    return found;
  }

  bool declares(std::size_t i) const {
    const std::string_view before = i > 0 ? at(i - 1) : "", behind = at(i + 1);
    const bool is_first = is_type_word(before) || before == "*" || before == "&" || before == "__restrict__";
    return (is_first || before == ",") &&
           (behind == "=" || behind == ";" || behind == "," || behind == ")" || behind == "[");
  }

  // ---- edits
  // -----------------------------------------------------------------------------------------------

  void add(std::size_t token, std::string text, EditKind kind) { add(token, token, std::move(text), kind); }
  void add(std::size_t first, std::size_t last, std::string text, EditKind kind) {
    edits_.push_back({tokens_[first].begin, tokens_[last].end(), std::move(text), tokens_[first].line, kind});
  }
  void insert_behind(std::size_t token, std::string text, EditKind kind) {
    edits_.push_back(
        {tokens_[token].end(), tokens_[token].end(), std::move(text), tokens_[token].line, kind});
  }
  void insert_before(std::size_t token, std::string text, EditKind kind) {
    edits_.push_back(
        {tokens_[token].begin, tokens_[token].begin, std::move(text), tokens_[token].line, kind});
  }

  // ` / 2` is left out of `BLOCK / 2`.
  void left_out(std::size_t i) {
    static const std::set<std::string_view> kBinary{"+", "-", "*", "/", "%"};
    if (!kBinary.contains(at(i)) || i == 0 || !ends_operand(i - 1)) return;
    if (!(is_name(i + 1) || is_number(i + 1)) || at(i + 2) == ".") return;
    std::size_t operand = i + 1;
    while (at(operand + 1) == "(" || at(operand + 1) == "[") operand = closing(operand + 1);
    add(i, operand, "", EditKind::kOperator);
  }

  // In an index or a condition, two variables exchanged: `y * width + x` for `x * width + y`.
  void exchanged(std::size_t open) {
    constexpr std::size_t kMostNames = 5;
    const bool is_condition = at(open) == "(" && open > 0 && at(open - 1) == "if";
    if (at(open) != "[" && !is_condition) return;
    const std::size_t end = closing(open);
    std::vector<std::string> names;
    const auto operand_at = [&](std::size_t i) -> std::string {
      if (!is_name(i) || (i > 0 && at(i - 1) == ".")) return "";
      if (at(i + 1) == "(" || at(i + 1) == "[") return "";
      return at(i + 1) == "." ? between(i, i + 2) : std::string(at(i));
    };
    for (std::size_t i = open + 1; i < end; ++i)
      if (const std::string name = operand_at(i);
          !name.empty() && std::ranges::find(names, name) == names.end())
        names.push_back(name);
    if (names.size() > kMostNames) return;
    for (std::size_t a = 0; a < names.size(); ++a)
      for (std::size_t b = a + 1; b < names.size(); ++b) {
        std::string text;
        std::size_t done = tokens_[open].end();
        for (std::size_t i = open + 1; i < end; ++i) {
          const std::string name = operand_at(i);
          if (name != names[a] && name != names[b]) continue;
          text += source_.substr(done, tokens_[i].begin - done);
          text += name == names[a] ? names[b] : names[a];
          done = tokens_[i].begin + name.size();
        }
        text += source_.substr(done, tokens_[end].begin - done);
        edits_.push_back(
            {tokens_[open].end(), tokens_[end].begin, text, tokens_[open].line, EditKind::kIndex});
      }
  }
  // `a[i][k]` for `a[k][i]`.
  void exchanged_subscripts(std::size_t i) {
    if (at(i) != "[" || i == 0 || !is_name(i - 1)) return;
    const std::size_t end = closing(i);
    if (at(end + 1) != "[") return;
    const std::size_t last = closing(end + 1);
    if (end == i + 1 || last == end + 2) return;
    add(i, last, fmt::format("[{}][{}]", between(end + 2, last - 1), between(i + 1, end - 1)),
        EditKind::kIndex);
  }

  // A value that is stored, added or returned lacks a term or a factor: `sum` for `sum * h`; a whole number
  // in a product lacks a half: `i * h` for `(i + 0.5) * h`.
  void lacking(std::size_t i) {
    constexpr std::size_t kMost = 6;
    if ((is_name(i) || is_number(i)) && at(i + 1) == "*" && at(i - 1) != "." && at(i - 1) != "*" &&
        is_name(i + 2))
      for (const Scalar& scalar : scalars_at(i))
        if (scalar.name == at(i) && scalar.is_whole)
          add(i, fmt::format("({} + 0.5)", at(i)), EditKind::kConstant);
    const bool ends_value = (at(i + 1) == ";" || at(i + 1) == "," || at(i + 1) == ")") && ends_operand(i);
    if (!ends_value) return;
    if (at(i) == ")") {
      insert_behind(i, " - 1", EditKind::kConstant);
      if (at(i + 1) == ";" && is_in_expression(i)) insert_behind(i, " + 1", EditKind::kConstant);
    }
    if (at(i + 1) != ";" || !is_in_expression(i)) return;
    const std::vector<Scalar> scalars = scalars_at(i);
    for (std::size_t k = 0; k < scalars.size(); ++k)
      if (scalars[k].name != at(i))
        for (const char* sign : {"*", "/", "-", "+"})
          if (scalars.size() - k <= kMost || *sign == '*' || *sign == '/')
            insert_behind(i, fmt::format(" {} {}", sign, scalars[k].name), EditKind::kOperator);
  }
  // Whether the statement that ends behind the token assigns or adds.
  bool is_in_expression(std::size_t i) const {
    for (; i > 0 && at(i) != ";" && at(i) != "{" && at(i) != "}"; --i)
      if (at(i) == "=" || at(i) == "+=" || at(i) == "return") return true;
    return false;
  }
  void without_initial_value(std::size_t i) {
    if (is_name(i) && at(i + 1) == ";" && i > 0 && is_type_word(at(i - 1)))
      insert_behind(i, " = 0", EditKind::kConstant);
  }

  void comparison(std::size_t i) {
    static const std::map<std::string_view, Texts> kOthers{{"<", {"<=", ">"}}, {"<=", {"<"}},
                                                           {">", {">=", "<"}}, {">=", {">"}},
                                                           {"==", {"!="}},     {"!=", {"==", "<"}}};
    const auto others = kOthers.find(at(i));
    if (others == kOthers.end() || i == 0 || !ends_operand(i - 1)) return;
    for (const std::string_view other : others->second) add(i, std::string(other), EditKind::kComparison);
    if (!ends_operand(i + 1) || at(i + 2) == "(" || at(i + 2) == "[" || at(i + 2) == ".") return;
    insert_behind(i + 1, " + 1", EditKind::kComparison);
    insert_behind(i + 1, " - 1", EditKind::kComparison);
  }

  void operation(std::size_t i) {
    static const std::map<std::string_view, Texts> kOthers{
        {"+", {"-", "*"}}, {"-", {"+", "*"}}, {"*", {"+", "/"}}, {"/", {"*", "%"}},
        {"%", {"/"}},      {"&&", {"||"}},    {"||", {"&&"}},    {"<<", {">>"}},
        {">>", {"<<"}},    {"&", {"|"}},      {"|", {"&"}},      {"^", {"&"}}};
    static const std::map<std::string_view, Texts> kUpdates{
        {"=", {"+="}}, {"+=", {"=", "-=", "*="}}, {"-=", {"+=", "="}}, {"*=", {"+=", "/="}}, {"/=", {"*="}}};
    if (i == 0 || !ends_operand(i - 1)) return;
    if (const auto others = kOthers.find(at(i));
        others != kOthers.end() && (ends_operand(i + 1) || at(i + 1) == "("))
      for (const std::string_view other : others->second) add(i, std::string(other), EditKind::kOperator);
    const auto updates = kUpdates.find(at(i));
    if (updates == kUpdates.end()) return;
    const bool is_declaration = at(i) == "=" && i >= 2 && (is_type_word(at(i - 2)) || at(i - 2) == ",");
    if (!is_declaration)
      for (const std::string_view other : updates->second) add(i, std::string(other), EditKind::kUpdate);
  }

  void index(std::size_t i) {
    static const std::map<std::string_view, std::string_view> kBuiltIn{{"threadIdx", "blockIdx"},
                                                                       {"blockIdx", "threadIdx"},
                                                                       {"blockDim", "gridDim"},
                                                                       {"gridDim", "blockDim"}};
    if (const auto other = kBuiltIn.find(at(i)); other != kBuiltIn.end()) {
      add(i, std::string(other->second), EditKind::kIndex);
      if (at(i) == "threadIdx" && at(i + 1) == ".") {
        const std::string_view side = at(i + 2);
        add(i, i + 2, fmt::format("(blockIdx.{0} * blockDim.{0} + threadIdx.{0})", side), EditKind::kIndex);
      }
    }
    if (i > 0 && at(i - 1) == "." && at(i) == "x") add(i, "y", EditKind::kIndex);
    if (i > 0 && at(i - 1) == "." && at(i) == "y") add(i, "x", EditKind::kIndex);
    if (at(i) == "]" && i > 0) {
      insert_before(i, " + 1", EditKind::kIndex);
      insert_before(i, " - 1", EditKind::kIndex);
    }
  }

  void variable(std::size_t i) {
    const auto type = types_.find(at(i));
    const bool is_declared_here = i > 0 && declares(i);
    if (type == types_.end() || is_declared_here || (i > 0 && (at(i - 1) == "." || at(i - 1) == "->")))
      return;
    for (const auto& [name, other] : types_)
      if (other == type->second && name != at(i)) add(i, std::string(name), EditKind::kVariable);
  }

  void constant(std::size_t i) {
    if (!is_number(i) || (i > 0 && at(i - 1) == ".")) return;
    const std::string_view text = at(i);
    long long value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    const std::string_view suffix(end, static_cast<std::size_t>(text.data() + text.size() - end));
    if (failed != std::errc() || text.starts_with("0x")) return;
    if (suffix.empty() || suffix == "u" || suffix == "U") {
      std::set<long long> others{value + 1, 2 * value, value / 2, 0, 1};
      if (value > 0) others.insert(value - 1);
      others.erase(value);
      for (const long long other : others) add(i, fmt::format("{}{}", other, suffix), EditKind::kConstant);
    } else if (suffix.front() == '.') {
      for (const std::string_view other : {"0.0", "1.0", "2.0", "0.5"})
        if (!text.starts_with(other)) add(i, std::string(other), EditKind::kConstant);
    }
  }

  void function(std::size_t i) {
    static const std::vector<Texts> kFamilies{
        {"__shfl_down_sync", "__shfl_up_sync", "__shfl_xor_sync", "__shfl_sync"},
        {"min", "max"},
        {"fminf", "fmaxf"},
        {"fmin", "fmax"},
        {"atomicAdd", "atomicSub", "atomicMax", "atomicMin", "atomicExch"},
        {"__syncthreads", "__syncwarp"},
        {"sqrt", "sqrtf"},
        {"exp", "expf"},
        {"sin", "cos"},
        {"ceilf", "floorf"},
        {"true", "false"}};
    for (const Texts& family : kFamilies)
      if (std::ranges::find(family, at(i)) != family.end())
        for (const std::string_view other : family)
          if (other != at(i)) add(i, std::string(other), EditKind::kFunction);
  }

  void type(std::size_t i) {
    if (!is_type_word(at(i))) return;
    const bool has_own = source_.find("TYPE") != std::string_view::npos;
    const auto other = [&](std::string_view text) { add(i, std::string(text), EditKind::kType); };
    if (at(i) == "int" || at(i) == "unsigned" || at(i) == "float") {
      if (has_own) other("TYPE");
      if (at(i) != "float") other("float");
      other(at(i) == "float" ? "double" : "size_t");
      if (at(i) != "float" && source_.find("double") != std::string_view::npos) other("double");
    }
  }

  void condition(std::size_t i) {
    if (at(i) != "if" || at(i + 1) != "(") return;
    const std::size_t end = closing(i + 1);
    if (end > i + 2) add(i + 2, end - 1, "true", EditKind::kGuard);
  }

  // ---- rarer mistakes, tried after the others

  static constexpr std::size_t kFewScalars = 4;
  std::vector<Scalar> few_scalars_at(std::size_t i, bool is_whole) const {
    std::vector<Scalar> found = scalars_at(i);
    std::erase_if(found, [&](const Scalar& scalar) {
      return scalar.is_whole != is_whole || types_.at(scalar.name) == "bool" || scalar.name == at(i);
    });
    if (found.size() > kFewScalars) found.erase(found.begin(), found.end() - kFewScalars);
    return found;
  }
  bool is_whole_number(std::size_t i) const {
    return is_number(i) && at(i).find_first_of(".eE") == std::string_view::npos && !at(i).starts_with("0x");
  }

  // `1.0 / 2` for `1 / 2`, and a half for a whole number that a condition chooses.
  void whole_division(std::size_t i) {
    if (!is_whole_number(i)) return;
    if (at(i + 1) == "/" && is_number(i + 2)) add(i, fmt::format("{}.0", at(i)), EditKind::kConstant);
    if (i > 0 && (at(i - 1) == "?" || at(i - 1) == ":") && at(i) == "1") add(i, "0.5", EditKind::kConstant);
  }

  // `to - from` for `from - to`.
  void exchanged_operands(std::size_t i) {
    if ((at(i) != "-" && at(i) != "/") || i == 0) return;
    const auto is_alone = [this](std::size_t operand) { return is_name(operand) || is_number(operand); };
    const std::string_view before = i > 1 ? at(i - 2) : "", behind = at(i + 2);
    if (!is_alone(i - 1) || !is_alone(i + 1) || before == "." || behind == "." || behind == "(" ||
        behind == "[")
      return;
    add(i - 1, i + 1, fmt::format("{} {} {}", at(i + 1), at(i), at(i - 1)), EditKind::kOperator);
  }

  // Of a call, two arguments beside each other.
  void exchanged_arguments(std::size_t i) {
    if (at(i) != "(" || i == 0 || (!is_name(i - 1) && at(i - 1) != ">")) return;
    std::vector<std::pair<std::size_t, std::size_t>> arguments;
    std::size_t begin = i + 1;
    const std::size_t end = closing(i);
    for (std::size_t at_token = i + 1; at_token <= end; ++at_token) {
      if (at(at_token) == "(" || at(at_token) == "[") at_token = closing(at_token);
      if ((at(at_token) != "," && at_token != end) || at_token == begin) continue;
      arguments.emplace_back(begin, at_token - 1);
      begin = at_token + 1;
    }
    for (std::size_t k = 1; k < arguments.size(); ++k) {
      const auto [first, last] = arguments[k - 1];
      const auto [next_first, next_last] = arguments[k];
      add(first, next_last, fmt::format("{}, {}", between(next_first, next_last), between(first, last)),
          EditKind::kVariable);
    }
  }

  // `i == 0 || i == n` for `i == 0`; a variable that is true or false is not asked.
  void further_condition(std::size_t i) {
    if (at(i) == "==" && is_name(i - 1) && is_number(i + 1))
      for (const Scalar& scalar : few_scalars_at(i - 1, true))
        insert_behind(i + 1, fmt::format(" || {} == {}", at(i - 1), scalar.name), EditKind::kGuard);
    if (at(i) != "if" || at(i + 1) != "(") return;
    for (const Scalar& scalar : scalars_at(i))
      if (types_.at(scalar.name) == "bool")
        insert_behind(i + 1, fmt::format("{} && ", scalar.name), EditKind::kGuard);
  }

  // The lane or the warp for the thread, and the last thread for the first.
  void other_lane(std::size_t i) {
    if (at(i) != "threadIdx" || at(i + 1) != "." || at(i + 2) != "x") return;
    if (at(i + 3) != "%") insert_behind(i + 2, " % 32", EditKind::kIndex);
    if (at(i + 3) != "/") insert_behind(i + 2, " / 32", EditKind::kIndex);
    if (at(i + 3) == "==" && at(i + 4) == "0") add(i + 4, "blockDim.x - 1", EditKind::kComparison);
  }

  // Twice a number of elements, and all threads for those of the block.
  void other_extent(std::size_t i) {
    if (is_name(i) && i > 0 && types_.contains(at(i)) && types_.at(at(i)) == "int" &&
        (at(i - 1) == "/" || at(i - 1) == "==" || at(i - 1) == "<" || at(i - 1) == "<="))
      add(i, fmt::format("(2 * {})", at(i)), EditKind::kConstant);
    if (at(i) != "+=" || (at(i + 1) != "BLOCK" && at(i + 1) != "blockDim")) return;
    const std::size_t last = at(i + 1) == "BLOCK" ? i + 1 : i + 3;
    if (at(last + 1) != ")") return;
    for (const Scalar& scalar : few_scalars_at(i, true))
      add(i + 1, last, std::string(scalar.name), EditKind::kVariable);
  }

  // In a subscript, a variable for a number; another array's element for a number that is added to one.
  void other_element(std::size_t i) {
    if (!is_whole_number(i)) return;
    if (at(i + 1) == "]" && (at(i - 1) == "-" || at(i - 1) == "+"))
      for (const Scalar& scalar : few_scalars_at(i, true)) add(i, std::string(scalar.name), EditKind::kIndex);
    if (at(i + 1) != ")" || at(i - 1) != "," || at(i - 2) != "]") return;
    std::size_t open = i - 2;
    while (open > 0 && at(open) != "[") --open;
    if (open == 0) return;
    for (const auto& [name, type] : types_)
      if (at(open + 1) != "]" && name != at(open - 1) && (type.ends_with("*") || is_array(name)))
        add(i, fmt::format("{}[{}]", name, between(open + 1, i - 3)), EditKind::kVariable);
  }
  bool is_array(std::string_view name) const {
    for (std::size_t i = 0; i + 1 < tokens_.size(); ++i)
      if (at(i) == name && at(i + 1) == "[" && declares(i)) return true;
    return false;
  }

  // `f(from + x)` for `f(x)`.
  void offset_argument(std::size_t i) {
    if (at(i) != "(" || i == 0 || !is_name(i - 1) || at(i + 1) == ")" || at(i - 1) == "if") return;
    for (const Scalar& scalar : few_scalars_at(i, false))
      insert_behind(i, fmt::format("{} + ", scalar.name), EditKind::kOperator);
  }

  // As the last argument of a call, a variable for a number: `f(x, step)` for `f(x, 1)`.
  void variable_argument(std::size_t i) {
    if (!is_whole_number(i) || at(i + 1) != ")" || i == 0 || at(i - 1) != ",") return;
    for (const Scalar& scalar : few_scalars_at(i, true))
      add(i, std::string(scalar.name), EditKind::kVariable);
  }

  // `x[i] * x[i]` for `x[i]`, and `d * d` for `d`, at the end of a term.
  void squared(std::size_t i) {
    if ((at(i + 1) != ";" && at(i + 1) != "-" && at(i + 1) != "+") || !is_in_expression(i)) return;
    std::size_t begin = i;
    if (at(i) == "]") {
      for (int depth = 0; begin > 0; --begin) {
        if (at(begin) == "]") ++depth;
        if (at(begin) == "[" && --depth == 0) break;
      }
      if (begin == 0) return;
      --begin;
    }
    if (is_name(begin) && at(begin - 1) != "." && at(begin - 1) != "*")
      insert_behind(i, fmt::format(" * {}", between(begin, i)), EditKind::kOperator);
  }

  // An atomic addition of 1, or of what a leader adds for its group of lanes.
  void added_amount(std::size_t i) {
    if (at(i) != "atomicAdd" || at(i + 1) != "(") return;
    const std::size_t end = closing(i + 1);
    std::size_t comma = end;
    for (std::size_t k = i + 2; k < end; ++k) {
      if (at(k) == "(" || at(k) == "[") k = closing(k);
      if (at(k) == ",") comma = k;
    }
    if (comma + 1 >= end) return;
    if (!is_number(end - 1)) add(comma + 1, end - 1, "1", EditKind::kConstant);
    if (source_.find("_sync") == std::string_view::npos) return;
    for (const Scalar& scalar : few_scalars_at(i, true))
      add(comma + 1, end - 1, fmt::format("__popc({})", scalar.name), EditKind::kFunction);
  }

  struct Statement {
    std::size_t begin, end;  // tokens; the last is the semicolon
  };

  // `a[i] += x;` becomes atomicAdd(&a[i], x);
  void update(const Statement& statement) {
    const std::size_t begin = statement.begin, end = statement.end;
    if (begin >= end || !(is_name(begin) || at(begin) == "*")) return;
    for (std::size_t i = begin; i < end; ++i) {
      const bool is_step = (at(i) == "++" || at(i) == "--") && i + 1 == end;
      if (at(i) != "+=" && !is_step) continue;
      const std::string target = between(begin, i - 1), value = is_step ? "1" : between(i + 1, end - 1);
      if (target.find('[') != std::string::npos || target.starts_with("*"))
        add(begin, end, fmt::format("atomicAdd(&{}, {});", target, value), EditKind::kUpdate);
      return;
    }
  }
  std::string between(std::size_t first, std::size_t last) const {
    return std::string(source_.substr(tokens_[first].begin, tokens_[last].end() - tokens_[first].begin));
  }

  bool is_expression(const Statement& statement) const {
    return statement.begin < statement.end && (is_name(statement.begin) || at(statement.begin) == "*") &&
           !is_name(statement.begin + 1);
  }
  bool is_store(const Statement& statement) const {
    for (std::size_t i = statement.begin; i < statement.end; ++i)
      if (at(i) == "=" || at(i) == "+=") return at(statement.begin + 1) == "[";
    return false;
  }

  void guard(const Statement& statement) {
    constexpr std::size_t kMost = 12;
    if (!is_expression(statement) || !is_store(statement)) return;
    std::size_t count = 0;
    for (const auto& [left, type] : types_)
      for (const auto& [right, other] : types_)
        if (left != right && type == "int" && other == "int" && count++ < kMost)
          insert_before(statement.begin, fmt::format("if ({} < {}) ", left, right), EditKind::kGuard);
  }

  void superfluous(const Statement& statement) {
    if (is_expression(statement)) add(statement.begin, statement.end, ";", EditKind::kStatement);
  }

  // ---- barriers
  // --------------------------------------------------------------------------------------------

  void barriers() {
    if (source_.find("__shared__") == std::string_view::npos) return;
    constexpr std::string_view kBarrier = "__syncthreads();";
    for (std::size_t i = 0; i < statements_.size(); ++i) {
      const Statement& statement = statements_[i];
      if (at(statement.end + 1) == "else") continue;
      insert_behind(statement.end, fmt::format(" {}", kBarrier), EditKind::kBarrier);
      if (at(statement.end + 1) == "}")
        insert_behind(statement.end + 1, fmt::format(" {}", kBarrier), EditKind::kBarrier);
      if (at(statement.begin) != "__syncthreads") continue;
      add(statement.begin, statement.end, ";", EditKind::kBarrier);
      moved_barriers(i);
    }
  }
  // To a place a few statements before or behind.
  void moved_barriers(std::size_t number) {
    constexpr std::size_t kFarthest = 4;
    const Statement& barrier = statements_[number];
    for (std::size_t i = number > kFarthest ? number - kFarthest : 0;
         i < statements_.size() && i <= number + kFarthest; ++i) {
      if (i == number || at(statements_[i].end + 1) == "else") continue;
      const std::size_t place = i < number ? statements_[i].begin : statements_[i].end;
      const std::size_t where = i < number ? tokens_[place].begin : tokens_[place].end();
      Edit edit{tokens_[barrier.begin].begin, tokens_[barrier.end].end(), ";", tokens_[barrier.begin].line,
                EditKind::kBarrier};
      edit.second_begin = edit.second_end = where;
      edit.second_text = " __syncthreads(); ";
      if (where < edit.begin) {
        std::swap(edit.begin, edit.second_begin);
        std::swap(edit.end, edit.second_end);
        std::swap(edit.text, edit.second_text);
      }
      edits_.push_back(std::move(edit));
    }
  }

  std::string_view source_;
  std::vector<SourceToken> tokens_;
  std::vector<bool> in_body_;
  std::vector<Statement> statements_;
  std::vector<Scalar> scalars_;
  std::map<std::string_view, std::string> types_;  // of variables and parameters; all whole numbers are "int"
  std::vector<Edit> edits_;
  std::size_t rarer_from_ = 0;
};

}  // namespace

std::vector<Edit> edits_of(std::string_view source) { return Editor(source).all(); }

std::string edited(std::string_view source, const Edit& edit) {
  std::string text(source.substr(0, edit.begin));
  text += edit.text;
  const std::size_t second = std::max(edit.second_begin, edit.end);
  text += source.substr(edit.end, second - edit.end);
  text += edit.second_text;
  text += source.substr(std::max(second, edit.second_end));
  return text;
}

}  // namespace cudalab::course
