// Recognizes device code by its first bytes, and packs the inputs of a link into one image.
#include "runtime/modules/images.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <cstring>

#include "core/programs/fat_binary_format.h"
#include "messages/runtime.h"
#include "runtime/memory.h"
#include "runtime/modules/fat_binary.h"

namespace cudalab::runtime {
namespace {

// A linked image:
//
//   image  16 bytes kLinkedImage   u64 number of parts   part…
//   part   u64 is_container   u64 bytes, padding excluded   bytes, padded with zeros to a multiple of 8
constexpr std::string_view kLinkedImage{
    "\x7f"
    "cudalab linked\0",
    16};
constexpr std::size_t kWordBytes = sizeof(std::uint64_t);

template <class Number>
Number number_at(const char* address) {
  Number number;
  std::memcpy(&number, address, sizeof number);
  return number;
}

void append_number(std::string& bytes, std::uint64_t number) {
  bytes.append(reinterpret_cast<const char*>(&number), sizeof number);
}

void append_part(std::string& bytes, const std::string& part, bool is_container) {
  append_number(bytes, is_container);
  append_number(bytes, part.size());
  bytes += part;
  bytes.append((kWordBytes - part.size() % kWordBytes) % kWordBytes, '\0');
}

Image parts_of(const char* at) {
  Image image;
  at += kLinkedImage.size();
  const auto count = number_at<std::uint64_t>(at);
  at += kWordBytes;
  for (std::uint64_t i = 0; i < count; ++i) {
    const bool is_container = number_at<std::uint64_t>(at) != 0;
    const auto bytes = number_at<std::uint64_t>(at + kWordBytes);
    (is_container ? image.containers : image.ptx).emplace_back(at + 2 * kWordBytes, bytes);
    at += 2 * kWordBytes + (bytes + kWordBytes - 1) / kWordBytes * kWordBytes;
  }
  return image;
}

std::string copy_of(const void* container) {
  const auto bytes = container_at(container);
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// Whether the text begins with .version, after blanks and comments.
bool is_ptx(std::string_view text) {
  constexpr std::string_view kBlanks = " \t\r\n\v\f";
  while (true) {
    text.remove_prefix(std::min(text.find_first_not_of(kBlanks), text.size()));
    const std::string_view end = text.starts_with("//") ? "\n" : text.starts_with("/*") ? "*/" : "";
    if (end.empty()) return text.starts_with(".version");
    const std::size_t found = text.find(end, 2);
    if (found == std::string_view::npos) return false;
    text.remove_prefix(found + end.size());
  }
}

}  // namespace

Image image_at(const void* address) {
  const auto* bytes = static_cast<const char*>(address);
  // Compares byte by byte, because the image may be a text of only a few bytes.
  const auto begins_with = [&](std::string_view magic) {
    return std::strncmp(bytes, magic.data(), magic.size()) == 0;
  };
  if (begins_with(kLinkedImage.substr(0, kLinkedImage.size() - 1))) return parts_of(bytes);
  if (begins_with("\x7f"
                  "ELF"))
    return {.is_machine_code = true};
  if (begins_with("\x50\xed\x55\xba")) return {.containers = {copy_of(address)}};
  if (begins_with("\xb1\x43\x62\x46")) {
    Image image;
    for (const void* container : containers_of(address)) image.containers.push_back(copy_of(container));
    return image;
  }
  require(is_ptx(bytes), cudaErrorInvalidKernelImage, msg::image_unknown());
  return {.ptx = {bytes}};
}

std::string linked_image(const Image& image) {
  std::string bytes(kLinkedImage);
  append_number(bytes, image.ptx.size() + image.containers.size());
  for (const std::string& text : image.ptx) append_part(bytes, text, false);
  for (const std::string& container : image.containers) append_part(bytes, container, true);
  return bytes;
}

void require_ptx_for(std::string_view target, int version_major, int version_minor, int architecture) {
  constexpr int kNewestMajor = 9, kNewestMinor = 0;  // of CUDA 13.0
  require(version_major < kNewestMajor || (version_major == kNewestMajor && version_minor <= kNewestMinor),
          cudaErrorUnsupportedPtxVersion,
          msg::ptx_version_too_new(fmt::format("{}.{}", version_major, version_minor)));
  constexpr std::string_view kBegins = "sm_";
  int wanted = 0;
  if (target.starts_with(kBegins))
    std::from_chars(target.data() + kBegins.size(), target.data() + target.size(), wanted);
  require(wanted <= architecture, cudaErrorInvalidPtx,
          msg::ptx_target_too_new(std::string(target),
                                  fmt::format("{}.{}", architecture / 10, architecture % 10)));
}

}  // namespace cudalab::runtime
