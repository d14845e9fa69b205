// Tests containers as nvcc writes them, truncated and damaged ones, and linking.
#include "runtime/modules/fat_binary.h"

#include <gtest/gtest.h>
#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "core/error.h"

namespace cudalab::runtime {

// Linking: definitions replace declarations, and local names stay separate.

namespace {

ptx::Module module(const std::string& body) {
  return ptx::parse(".version 9.0\n.target sm_90\n.address_size 64\n" + body, "test.ptx");
}

const char* const kCaller =
    ".extern .func twice;\n.global .b8 text[4] = {1, 2, 3, 4};\n.visible .entry first() {\n  .reg .b64 "
    "%rd<2>;\n"
    "  mov.u64 %rd1, text;\n  call twice;\n  ret;\n}\n";
const char* const kCallee =
    ".global .b8 text[4] = {5, 6, 7, 8};\n.visible .func twice {\n  .reg .b64 %rd<2>;\n  mov.u64 %rd1, "
    "text;\n"
    "  ret;\n}\n";

TEST(Linking, ADefinitionReplacesADeclarationInEitherOrder) {
  for (const bool callee_first : {false, true}) {
    std::vector<ptx::Module> parts;
    parts.push_back(module(callee_first ? kCallee : kCaller));
    parts.push_back(module(callee_first ? kCaller : kCallee));
    const ptx::Module whole = linked(std::move(parts));
    EXPECT_EQ(whole.functions.size(), 2u);
    EXPECT_FALSE(whole.find_function("twice")->is_declaration);
  }
}

TEST(Linking, RenamesLocalNamesThatClash) {
  std::vector<ptx::Module> parts;
  parts.push_back(module(kCaller));
  parts.push_back(module(kCallee));
  const ptx::Module whole = linked(std::move(parts));
  ASSERT_EQ(whole.variables.size(), 2u);
  EXPECT_EQ(whole.variables[0].name, "text");
  EXPECT_EQ(whole.variables[1].name, "text@object1");
  const auto& instruction = std::get<ptx::Instruction>(whole.find_function("twice")->body[0]);
  EXPECT_EQ(std::get<ptx::Symbol>(instruction.operands[1].value).name, "text@object1");
}

TEST(Linking, RefusesTwoDefinitionsOfOneName) {
  std::vector<ptx::Module> parts;
  parts.push_back(module(kCallee));
  parts.push_back(module(kCallee));
  EXPECT_THROW(linked(std::move(parts)), Error);
}

constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;

template <class Value>
void put(std::string& bytes, std::size_t at, Value value) {
  std::memcpy(bytes.data() + at, &value, sizeof value);
}

std::string packed(const std::string& text, std::uint64_t flags) {
  std::string bytes(text.size() + 256, '\0');
  std::size_t size = text.size();
  if (flags == kZstd) size = ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1);
  if (flags == kLz4)
    size = static_cast<std::size_t>(LZ4_compress_default(
        text.data(), bytes.data(), static_cast<int>(text.size()), static_cast<int>(bytes.size())));
  if (flags == 0) return text;
  bytes.resize(size);
  return bytes;
}

std::string entry(std::uint16_t kind, std::uint32_t sm, const std::string& text, std::uint64_t flags) {
  const std::string payload = packed(text, flags);
  std::string bytes(64, '\0');
  put(bytes, 0, kind);
  put(bytes, 4, std::uint32_t{64});
  put(bytes, 8, std::uint64_t{(payload.size() + 7) / 8 * 8});
  put(bytes, 16, static_cast<std::uint32_t>(payload.size()));
  put(bytes, 28, sm);
  put(bytes, 40, flags);
  put(bytes, 56, std::uint64_t{text.size()});
  bytes += payload;
  bytes.resize((bytes.size() + 7) / 8 * 8);
  return bytes;
}

std::string container(const std::string& entries) {
  std::string bytes(16, '\0');
  put(bytes, 0, std::uint32_t{0xba55ed50});
  put(bytes, 4, std::uint16_t{1});
  put(bytes, 6, std::uint16_t{16});
  put(bytes, 8, std::uint64_t{entries.size()});
  return bytes + entries;
}

std::span<const std::byte> bytes_of(const std::string& text) { return std::as_bytes(std::span(text)); }

const std::string kText =
    ".version 9.0\n// a text that is long enough to be packed, packed, packed, packed\n";

TEST(FatBinary, UnpacksPlainLz4AndZstdTexts) {
  for (const std::uint64_t flags : {std::uint64_t{0}, kLz4, kZstd}) {
    const auto images =
        images_of(bytes_of(container(entry(2, 90, "machine", 0) + entry(1, 75, kText, flags))));
    ASSERT_EQ(images.size(), 2u) << flags;
    EXPECT_FALSE(images[0].is_ptx);
    EXPECT_TRUE(images[1].is_ptx);
    EXPECT_EQ(images[1].architecture, 75);
    EXPECT_EQ(images[1].ptx, kText);
  }
}

TEST(FatBinary, ReturnsTheMachineCodeOfTheRequestedArchitecture) {
  const std::string both = container(entry(2, 90, "for 9.0", kZstd) + entry(2, 80, "for 8.0", 0));
  EXPECT_EQ(images_of(bytes_of(both), 90)[0].machine_code, "for 9.0");
  EXPECT_EQ(images_of(bytes_of(both), 90)[1].machine_code, "");
  EXPECT_EQ(images_of(bytes_of(both))[0].machine_code, "");
}

TEST(FatBinary, RefusesWhatIsCutOffAnywhere) {
  const std::string whole = container(entry(1, 90, kText, kZstd));
  for (std::size_t bytes = 0; bytes < whole.size(); ++bytes)
    EXPECT_THROW(images_of(bytes_of(whole.substr(0, bytes))), Error) << bytes;
}

TEST(FatBinary, RefusesInvalidSizes) {
  std::string huge = container(entry(1, 90, kText, kZstd));
  put(huge, 16 + 56, std::uint64_t{1} << 60);
  EXPECT_THROW(images_of(bytes_of(huge)), Error);
  std::string damaged = container(entry(1, 90, kText, kLz4));
  put(damaged, 16 + 56, std::uint64_t{3});
  EXPECT_THROW(images_of(bytes_of(damaged)), Error);
  EXPECT_THROW(images_of(bytes_of("no container at all")), Error);
}

// A size in a damaged header causes no allocation if the packed bytes cannot unpack to it.
TEST(FatBinary, RefusesATextLongerThanItsPackedBytesAllow) {
  for (const std::uint64_t flags : {kLz4, kZstd}) {
    std::string damaged = container(entry(1, 90, kText, flags));
    put(damaged, 16 + 56, std::uint64_t{1} << 29);
    EXPECT_THROW(images_of(bytes_of(damaged)), Error);
  }
}

TEST(FatBinary, MayFollowAnotherContainer) {
  const std::string first = container(entry(1, 90, kText, 0)),
                    both = first + container(entry(1, 75, kText, kZstd));
  EXPECT_EQ(container_in(bytes_of(both)).size(), first.size());
  EXPECT_THROW(container_in(bytes_of(first.substr(0, first.size() - 1))), Error);
}

// Data in a loaded segment of this program, where nvcc places device code.
struct LoadedHeader {
  std::uint32_t magic = 0xba55ed50;
  std::uint16_t version = 1, header_bytes = 16;
  std::uint64_t entry_bytes;
};
const LoadedHeader kSound{.entry_bytes = 0}, kDamaged{.entry_bytes = std::uint64_t{1} << 36};

TEST(FatBinary, EndsWithWhatTheFileWasLoadedTo) {
  EXPECT_EQ(container_at(&kSound).size(), sizeof kSound);
  EXPECT_THROW(container_at(&kDamaged), Error);
  EXPECT_THROW(container_at(nullptr), Error);
  EXPECT_THROW(containers_of(nullptr), Error);
}

}  // namespace
}  // namespace cudalab::runtime
