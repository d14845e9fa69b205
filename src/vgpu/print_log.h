// What the blocks of a launch print: kept apart by block, so that the text does not depend on who ran when.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <string_view>

namespace cudalab::vgpu {

class PrintLog {
 public:
  static constexpr std::size_t kMostBytes = 1 << 20;  // CUDA's default, cudaLimitPrintfFifoSize
  void add(std::uint64_t block, std::string_view text);
  void clear();
  // In block order, up to and with this block; where it is more than kMostBytes, cut, with a last line that
  // says so.
  std::string text(std::uint64_t last_block) const;

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> blocks_;
  std::size_t bytes_ = 0;
};

}  // namespace cudalab::vgpu
