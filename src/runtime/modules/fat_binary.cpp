// Every size is checked against the bytes that are left: a program may be damaged.
#include "runtime/modules/fat_binary.h"

#include <lz4.h>
#include <zstd.h>

#include <cstring>

#include "core/error.h"

namespace cudalab::runtime {
namespace {

constexpr std::uint32_t kWrapperMagic = 0x466243b1, kContainerMagic = 0xba55ed50;
constexpr std::uint16_t kPtxKind = 1, kMachineCodeKind = 2;
constexpr std::uint64_t kLz4Flag = 0x2000, kZstdFlag = 0x8000;
constexpr std::size_t kContainerHeader = 16, kEntryHeader = 64;
constexpr std::uint64_t kLongestText = 1u << 30;
constexpr int kMostContainers = 1 << 16;

struct Wrapper {
  std::uint32_t magic, version;
  const void* container;
  const void* const* prelinked;
};

Error damaged(const char* what) {
  return usage_error("the device code in this program is damaged: {}; build the program again", what);
}

template <class Value>
Value value_at(std::span<const std::byte> bytes, std::size_t offset) {
  Value value;
  if (offset > bytes.size() || sizeof value > bytes.size() - offset) throw damaged("it ends too early");
  std::memcpy(&value, bytes.data() + offset, sizeof value);
  return value;
}

std::span<const std::byte> part(std::span<const std::byte> bytes, std::size_t from, std::uint64_t count) {
  if (from > bytes.size() || count > bytes.size() - from) throw damaged("a piece of it ends too early");
  return bytes.subspan(from, count);
}

std::string unpacked(std::span<const std::byte> packed, std::uint64_t raw_bytes, bool is_zstd) {
  if (raw_bytes > kLongestText) throw damaged("a text in it is too long");
  std::string text(raw_bytes, '\0');
  const auto* from = reinterpret_cast<const char*>(packed.data());
  if (is_zstd) {
    const std::size_t bytes = ZSTD_decompress(text.data(), text.size(), from, packed.size());
    if (ZSTD_isError(bytes) || bytes != raw_bytes) throw damaged("a text in it does not unpack (zstd)");
    return text;
  }
  const int bytes =
      LZ4_decompress_safe(from, text.data(), static_cast<int>(packed.size()), static_cast<int>(text.size()));
  if (bytes < 0 || static_cast<std::uint64_t>(bytes) != raw_bytes)
    throw damaged("a text in it does not unpack (LZ4)");
  return text;
}

std::string contents_of(std::span<const std::byte> header, std::span<const std::byte> payload) {
  const auto flags = value_at<std::uint64_t>(header, 40);
  std::string text;
  if (flags & (kLz4Flag | kZstdFlag))
    text = unpacked(part(payload, 0, value_at<std::uint32_t>(header, 16)),
                    value_at<std::uint64_t>(header, 56), (flags & kZstdFlag) != 0);
  else
    text.assign(reinterpret_cast<const char*>(payload.data()), payload.size());
  return text;
}

// PTX ends with zeros where nothing is packed.
std::string text_of(std::span<const std::byte> header, std::span<const std::byte> payload) {
  const std::string text = contents_of(header, payload);
  return text.substr(0, text.find('\0'));
}

}  // namespace

std::vector<DeviceImage> images_of(std::span<const std::byte> container, int of_architecture) {
  if (value_at<std::uint32_t>(container, 0) != kContainerMagic)
    throw damaged("it does not begin as it should");
  const auto header_bytes = value_at<std::uint16_t>(container, 6);
  std::span<const std::byte> rest = part(container, header_bytes, value_at<std::uint64_t>(container, 8));
  std::vector<DeviceImage> images;
  while (rest.size() >= kEntryHeader) {
    const auto header_size = value_at<std::uint32_t>(rest, 4);
    const auto payload_size = value_at<std::uint64_t>(rest, 8);
    if (header_size < kEntryHeader) throw damaged("a piece of it has too short a header");
    const auto header = part(rest, 0, header_size), payload = part(rest, header_size, payload_size);
    DeviceImage& image = images.emplace_back();
    const auto kind = value_at<std::uint16_t>(rest, 0);
    image.is_ptx = kind == kPtxKind;
    image.architecture = static_cast<int>(value_at<std::uint32_t>(header, 28));
    if (image.is_ptx) image.ptx = text_of(header, payload);
    if (kind == kMachineCodeKind && image.architecture == of_architecture)
      image.machine_code = contents_of(header, payload);
    rest = rest.subspan(header_size + payload_size);
  }
  return images;
}

std::span<const std::byte> container_at(const void* address) {
  const auto* bytes = static_cast<const std::byte*>(address);
  const std::span<const std::byte> header(bytes, kContainerHeader);
  if (value_at<std::uint32_t>(header, 0) != kContainerMagic) throw damaged("it does not begin as it should");
  return {bytes, value_at<std::uint16_t>(header, 6) + value_at<std::uint64_t>(header, 8)};
}

std::vector<const void*> containers_of(const void* address) {
  const auto& wrapper = *static_cast<const Wrapper*>(address);
  if (wrapper.magic != kWrapperMagic) throw damaged("its wrapper is none");
  if (wrapper.version != 2 || !wrapper.prelinked) return {wrapper.container};
  std::vector<const void*> containers;
  for (int i = 0; i < kMostContainers && wrapper.prelinked[i]; ++i)
    containers.push_back(wrapper.prelinked[i]);
  return containers;
}

}  // namespace cudalab::runtime
