// Writes the structures of PKWARE's APPNOTE.TXT, 4.3: local headers with file data, the central directory and
// its end.
#include "core/zip_file.h"

#include <array>
#include <cstdint>

namespace cudalab {
namespace {

constexpr std::uint32_t kLocalHeader = 0x04034b50, kDirectoryEntry = 0x02014b50, kEndOfDirectory = 0x06054b50;
constexpr std::uint16_t kNeedsVersion = 20, kMadeOnUnix = 3 << 8 | kNeedsVersion, kUtf8Names = 1 << 11;
constexpr std::uint16_t kStored = 0, kMidnight = 0, kFirstOfJanuary1980 = 1 << 5 | 1;
constexpr std::uint32_t kRegularFile = 0100644, kProgram = 0100755;  // in the upper half of the attributes

// CRC-32 with the reversed Ethernet polynomial.
constexpr std::array<std::uint32_t, 256> crc_table() {
  std::array<std::uint32_t, 256> table{};
  for (std::uint32_t byte = 0; byte < 256; ++byte) {
    std::uint32_t rest = byte;
    for (int bit = 0; bit < 8; ++bit) rest = rest & 1 ? rest >> 1 ^ 0xedb88320u : rest >> 1;
    table[byte] = rest;
  }
  return table;
}

std::uint32_t crc32_of(const std::string& bytes) {
  static constexpr auto kTable = crc_table();
  std::uint32_t crc = ~0u;
  for (const char byte : bytes) crc = kTable[(crc ^ static_cast<unsigned char>(byte)) & 0xff] ^ crc >> 8;
  return ~crc;
}

// A sequence of little-endian numbers.
class Record {
 public:
  Record& two(std::uint32_t number) { return put(number, 2); }
  Record& four(std::uint32_t number) { return put(number, 4); }
  const std::string& bytes() const { return bytes_; }

 private:
  Record& put(std::uint32_t number, int size) {
    for (int at = 0; at < size; ++at) bytes_ += static_cast<char>(number >> 8 * at & 0xff);
    return *this;
  }
  std::string bytes_;
};

// Writes the fields that a local header and a directory entry have in common.
void describe(Record& record, const ZipMember& member) {
  const auto size = static_cast<std::uint32_t>(member.bytes.size());
  record.two(kNeedsVersion).two(kUtf8Names).two(kStored).two(kMidnight).two(kFirstOfJanuary1980);
  record.four(crc32_of(member.bytes)).four(size).four(size);
  record.two(static_cast<std::uint32_t>(member.name.size())).two(0);
}

std::string directory_entry(const ZipMember& member, std::size_t offset) {
  Record record;
  record.four(kDirectoryEntry).two(kMadeOnUnix);
  describe(record, member);
  record.two(0).two(0).two(0).four((member.is_program ? kProgram : kRegularFile) << 16);
  record.four(static_cast<std::uint32_t>(offset));
  return record.bytes() + member.name;
}

}  // namespace

std::string zip_of(std::span<const ZipMember> members) {
  std::string archive, directory;
  for (const ZipMember& member : members) {
    directory += directory_entry(member, archive.size());
    Record record;
    record.four(kLocalHeader);
    describe(record, member);
    archive += record.bytes() + member.name + member.bytes;
  }
  const auto count = static_cast<std::uint32_t>(members.size());
  Record end;
  end.four(kEndOfDirectory).two(0).two(0).two(count).two(count);
  end.four(static_cast<std::uint32_t>(directory.size()))
      .four(static_cast<std::uint32_t>(archive.size()))
      .two(0);
  return archive + directory + end.bytes();
}

}  // namespace cudalab
