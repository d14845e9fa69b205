// Requests for memory, instructions and sources.
#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <utility>

#include "cli/debug/debug_session.h"
#include "core/error.h"
#include "core/files.h"
#include "messages/cli.h"
#include "session/lane_text.h"

namespace cudalab::cli {
namespace {

using Body = nlohmann::json;
namespace fs = std::filesystem;

constexpr std::uint64_t kMostMemory = 1u << 20;      // bytes in one response
constexpr std::int64_t kMostInstructions = 1 << 12;  // in one response
// PTX instructions have no addresses, but the protocol needs some: those of the listing are numbered from
// here on, so a request can also begin before the first one.
constexpr std::int64_t kFirstInstruction = 0x100000, kInstructionBytes = 16;

std::string base64(const std::vector<std::byte>& bytes) {
  constexpr std::string_view kDigits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string text;
  for (std::size_t at = 0; at < bytes.size(); at += 3) {
    const std::size_t count = std::min<std::size_t>(3, bytes.size() - at);
    std::uint32_t bits = 0;
    for (std::size_t i = 0; i < 3; ++i)
      bits = bits << 8 | (i < count ? static_cast<std::uint32_t>(bytes[at + i]) : 0);
    for (std::size_t i = 0; i < 4; ++i) text += i <= count ? kDigits[bits >> (18 - 6 * i) & 63] : '=';
  }
  return text;
}

}  // namespace

std::string memory_reference(std::uint64_t address) { return fmt::format("{:#x}", address); }

std::uint64_t address_in(const std::string& reference) {
  const bool is_hex = reference.starts_with("0x");
  const char* const begin = reference.data() + (is_hex ? 2 : 0);
  const char* const end = reference.data() + reference.size();
  std::uint64_t address = 0;
  const auto [stop, problem] = std::from_chars(begin, end, address, is_hex ? 16 : 10);
  if (problem != std::errc{} || stop != end) throw usage_error(msg::debug_address_wrong(reference));
  return address;
}

std::string instruction_reference(std::int64_t index) {
  return memory_reference(static_cast<std::uint64_t>(kFirstInstruction + kInstructionBytes * index));
}

Body DebugSession::read_memory(const Body& arguments) {
  const std::uint64_t address = address_in(arguments.at("memoryReference").get<std::string>()) +
                                static_cast<std::uint64_t>(arguments.value("offset", std::int64_t{0}));
  const std::uint64_t wanted = std::min(arguments.at("count").get<std::uint64_t>(), kMostMemory);
  const std::vector<std::byte> bytes = debugger_->memory(address, wanted);
  Body answer{{"address", memory_reference(address)}, {"data", base64(bytes)}};
  if (bytes.size() < wanted) answer["unreadableBytes"] = wanted - bytes.size();
  return answer;
}

// Headers are named as they were included, or from the root.
fs::path DebugSession::path_of(const std::string& file) const {
  if (debugger_ && file == debugger_->launch().file) return path_;
  std::error_code ignored;
  const fs::path beside = path_.parent_path() / file;
  const bool is_beside = fs::path(file).is_relative() && fs::is_regular_file(beside, ignored);
  return absolute_path(is_beside ? beside
                                 : fs::path(file));  // lines of host code are relative to the working folder
}

Body DebugSession::source_of(const std::string& file) const {
  const fs::path path = path_of(file);
  return {{"name", path.filename().string()}, {"path", path.string()}};
}

Body DebugSession::disassemble(const Body& arguments) {
  constexpr std::int64_t kFarthest = 1 << 24;
  const auto at = [&](const char* key) {
    return std::clamp(arguments.value(key, std::int64_t{0}), -kFarthest, kFarthest);
  };
  const std::uint64_t reference = address_in(arguments.at("memoryReference").get<std::string>());
  const std::int64_t address = static_cast<std::int64_t>(reference & 0xffff'ffff) + at("offset");
  const std::int64_t first = (address - kFirstInstruction) / kInstructionBytes + at("instructionOffset");
  const std::int64_t count = std::clamp<std::int64_t>(at("instructionCount"), 0, kMostInstructions);
  const std::vector<vgpu::ListedInstruction>& listing = debugger_->listing();
  Body instructions = Body::array();
  for (std::int64_t i = first; i < first + count; ++i) {
    Body row{{"address", instruction_reference(i)}, {"instruction", ""}};
    if (i < 0 || i >= static_cast<std::int64_t>(listing.size())) {
      row["presentationHint"] = "invalid";
      instructions.push_back(std::move(row));
      continue;
    }
    const vgpu::ListedInstruction& listed = listing[static_cast<std::size_t>(i)];
    const bool begins =
        i == 0 || listing[static_cast<std::size_t>(i - 1)].code.function != listed.code.function;
    row["instruction"] = listed.code.text;
    if (begins || !listed.label.empty()) row["symbol"] = begins ? listed.code.function : listed.label;
    if (const SourceLine where = session::line_in(listed.code, debugger_->launch().file); where.line > 0) {
      row["line"] = shown_line(where.line);
      row["location"] = source_of(where.file);
    }
    instructions.push_back(std::move(row));
  }
  return {{"instructions", instructions}};
}

Body DebugSession::source(const Body& arguments) {
  const fs::path path = arguments.value("source", Body::object()).value("path", "");
  const bool is_of_launch = code_file(path) != nullptr;
  std::error_code ignored;
  if (!is_of_launch || !fs::is_regular_file(path, ignored))
    throw usage_error(msg::debug_source_unknown(path.string()));
  return {{"content", read_text(path)}};
}

}  // namespace cudalab::cli
