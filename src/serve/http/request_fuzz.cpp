// Fuzz target: whatever a client sends, requests are read or refused, within the limits.
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "serve/http/request.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  namespace serve = cudalab::serve;
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  constexpr std::size_t kPieces[]{1, 7, 4096};
  serve::RequestReader reader;
  for (std::size_t at = 0, i = 0; at < bytes.size(); ++i) {
    const std::string_view piece = bytes.substr(at, kPieces[i % std::size(kPieces)]);
    at += piece.size();
    reader.add(piece);
    while (const auto request = reader.next()) {
      const bool climbs = request->path.find("/../") != std::string::npos || request->path.ends_with("/..");
      if (request->path.front() != '/' || climbs || request->body.size() > serve::kMostBody ||
          request->headers.size() > serve::kMostHeaders)
        std::abort();
    }
  }
  return 0;
}
