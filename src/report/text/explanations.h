// Explains the numbers of a row in sentences. Pure functions; a cause is named only if it accounts for the
// count.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "core/diagnostics/message.h"
#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

// How addresses with a constant stride map to the 32 banks of shared memory: bank = (address/4) % 32.

struct BankPattern {
  int lanes = 0;   // number of lanes that the pattern covers
  int banks = 0;   // number of different banks
  int passes = 0;  // the most distinct words in one bank, which is the number of wavefronts
};

BankPattern bank_pattern(std::int64_t stride_bytes, int bytes_per_lane, int lanes);

// Explains the numbers of a row in sentences. Pure functions: numbers in, sentences out. The name of a stage
// never affects the sentences.

// The ratio to the minimum from which transactions are worth a sentence. A few partial tiles at a matrix's
// edges stay below it.
inline constexpr double kWorthMentioning = 1.02;

// The waste in a line's global accesses: "stores touch 32 sectors per request instead of 4: …". Empty if the
// count is close to the minimum. `block_width` is the block's x size: in a block narrower than a warp, a warp
// contains several rows of threads.
std::optional<Message> explain_global(const LineAccess& access, std::uint32_t block_width);

// The bank conflicts of a line's shared accesses, in terms of (address/4) % 32. Empty without conflicts.
std::optional<Message> explain_shared(const LineAccess& access, std::uint32_t block_width);

// Only the cause: "adjacent threads write 8 KB apart, so 4 of each sector's 32 bytes are used".
Message cause_of_sectors(const LineAccess& access, std::uint32_t block_width);

// "adjacent threads read words 32 apart, so all 32 lanes access the same bank, (address/4) % 32"
Message cause_of_wavefronts(const LineAccess& access, std::uint32_t block_width);

// Whether adjacent threads access adjacent elements, in either direction, but do not start at a sector
// boundary.
bool is_misaligned(const LineAccess& access);

// Transactions per request: counted, and the minimum.
double cost_of(const LineAccess& access);
double minimum_of(const LineAccess& access);

// Whether a single lane of each warp loads, and these are a large part of all loads.
bool is_lonely(const LineAccess& access, const std::vector<LineAccess>& all);

// Whether the kernel completed. A stopped kernel has no output to check, and incomplete counters.
bool ran_to_its_end(const lab::Row& row);

// Whether the rows do the same amount of work, as far as it is known.
bool do_the_same(const lab::Row& a, const lab::Row& b);

// The sentences about one kernel's memory accesses: the waste, worst line first, or a sentence that there is
// none.
std::vector<Message> explain_accesses(const lab::Row& row);

// The row's measured speed, compared with the reference row and with another row.
std::optional<Message> explain_times(const lab::Row& row, const lab::Row* before);

struct Explanation {
  std::vector<std::string> rows;  // the rows that share the sentences
  bool is_of_all_kernels = false;
  std::vector<Message> sentences;                          // never empty
  std::string heading(const Wording& wording = {}) const;  // "tiled, padded", "all kernels"
};

// The advice for the learner: the insight about each kernel (insight.h), the largest predicted loss first.
std::vector<Explanation> explain(const lab::Result& result);

// All sentences about a result, in the order of its rows; a sentence that is true of several rows appears
// once. Times are compared only between rows that do the same work.
std::vector<Explanation> explain_fully(const lab::Result& result);

}  // namespace cudalab::report
