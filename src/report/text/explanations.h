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

// How addresses at a constant distance fall into the 32 banks of shared memory: bank = (address/4) % 32.

struct BankPattern {
  int lanes = 0;   // that are served together and have the given distance from each to the next
  int banks = 0;   // different banks among them
  int passes = 0;  // most distinct words in one bank
};

BankPattern bank_pattern(std::int64_t stride_bytes, int bytes_per_lane, int lanes);

// Says in sentences why a row's numbers are what they are. Pure functions: numbers in, sentences out; the
// name of a stage never decides what is said about it.

// How many times the fewest transactions are worth a sentence: a few ragged edges of a matrix are no pattern.
inline constexpr double kWorthMentioning = 1.02;

// What is wrong with a line's global accesses: "stores touch 32 sectors a request where 4 would do: …".
// Nothing where they touch hardly more sectors than they must. `block_width` is the x size of the block: a
// block narrower than a warp puts several rows of threads in one warp.
std::optional<Message> explain_global(const LineAccess& access, std::uint32_t block_width);

// What is wrong with a line's shared accesses, in terms of (address/4) % 32. Nothing where there are no
// conflicts.
std::optional<Message> explain_shared(const LineAccess& access, std::uint32_t block_width);

// The cause alone: "adjacent threads write 8 KB apart, so 4 of each sector's 32 bytes are used".
Message cause_of_sectors(const LineAccess& access, std::uint32_t block_width);

// "adjacent threads read words 32 apart, so all 32 lanes access the same bank, (address/4) % 32"
Message cause_of_wavefronts(const LineAccess& access, std::uint32_t block_width);

// Whether adjacent threads access adjacent elements, in either direction, but not from a sector boundary on.
bool is_misaligned(const LineAccess& access);

// Transactions per request: found, and the minimum.
double cost_of(const LineAccess& access);
double minimum_of(const LineAccess& access);

// A single lane of each warp loads, in a good part of all loads.
bool is_lonely(const LineAccess& access, const std::vector<LineAccess>& all);

// A kernel that was stopped has no output to check, and its counters stopped somewhere.
bool ran_to_its_end(const lab::Row& row);

// Whether the rows do the same amount of work, as far as it is known.
bool do_the_same(const lab::Row& a, const lab::Row& b);

// The sentences about one kernel's memory accesses: what is wasteful, worst line first, or that nothing is.
std::vector<Message> explain_accesses(const lab::Row& row);

// The speed of a row beside the ceiling and beside another row, where times were measured.
std::optional<Message> explain_times(const lab::Row& row, const lab::Row* before);

struct Explanation {
  std::vector<std::string> rows;  // names of those that share the sentences
  bool is_of_all_kernels = false;
  std::vector<Message> sentences;                          // never empty
  std::string heading(const Wording& wording = {}) const;  // "tiled, padded", "all kernels"
};

// What a learner can act on: the insight about each kernel (insight.h), the largest predicted loss first.
std::vector<Explanation> explain(const lab::Result& result);

// Everything there is to say about a result, in the order of its rows; what is true of several, once. Times
// are compared only of rows that do the same work.
std::vector<Explanation> explain_fully(const lab::Result& result);

}  // namespace cudalab::report
