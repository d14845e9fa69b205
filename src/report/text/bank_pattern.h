// How addresses at a constant distance fall into the 32 banks of shared memory: bank = (address/4) % 32.
#pragma once

#include <cstdint>

namespace cudalab::report {

struct BankPattern {
  int lanes = 0;   // that are served together and have the given distance from each to the next
  int banks = 0;   // different banks among them
  int passes = 0;  // most distinct words in one bank
};

BankPattern bank_pattern(std::int64_t stride_bytes, int bytes_per_lane, int lanes);

}  // namespace cudalab::report
