#include "runtime/unwritten_copies.h"

#include <algorithm>
#include <cstdint>
#include <vector>

#include "runtime/paddings.h"
#include "runtime/runtime.h"

namespace cudalab::runtime {
namespace {

struct Unwritten {
  std::size_t bytes = 0, first = 0;
};

// Of a long row in pieces that hold whole structs of most sizes, so that gaps are never many at once.
constexpr std::size_t kPiece = std::size_t{4096} * 9 * 5 * 7 * 11;

void look_at_piece(std::uint64_t begin, std::size_t bytes, std::uint64_t base, Unwritten& found) {
  const std::vector<vgpu::ByteRun> gaps = the_runtime().gpu.unwritten(begin, bytes);
  if (gaps.empty() || are_paddings(gaps, bytes)) return;
  if (found.bytes == 0) found.first = begin + gaps.front().at - base;
  for (const vgpu::ByteRun& gap : gaps) found.bytes += gap.bytes;
}

void look_at_row(std::uint64_t row, const Box& box, std::uint64_t base, Unwritten& found) {
  for (std::size_t done = 0; done < box.width; done += kPiece)
    look_at_piece(row + done, std::min(kPiece, box.width - done), base, found);
}

Unwritten unwritten_in(const Box& box, std::uint64_t base) {
  Unwritten found;
  for (std::size_t z = 0; z < box.depth; ++z)
    for (std::size_t y = 0; y < box.height; ++y)
      look_at_row(box.from.address + z * box.from.slice + y * box.from.pitch, box, base, found);
  return found;
}

}  // namespace

void look_for_unwritten(const char* call, const Box& box, const CallSite& from) {
  Runtime& state = the_runtime();
  // What was refused before wrote nothing: the report has the cause.
  if (!state.settings.check_memory || state.has_refused_work || box.from.is_array) return;
  const MemoryBlock* block = state.memory.find(box.from.address);
  if (!block || block->kind != MemoryKind::kDevice) return;
  const Unwritten found = unwritten_in(box, block->address);
  if (found.bytes == 0) return;
  state.records.send(HostMistake{
      MistakeKind::kUnwrittenCopied,
      fmt::format("{} copies {} bytes of `{}` to the host that no kernel, copy or memset wrote, the first at "
                  "byte {}",
                  call, found.bytes, block->name, found.first),
      "write them first (a grid that covers every element, cudaMemset), or copy only what was written", from,
      1});
}

}  // namespace cudalab::runtime
