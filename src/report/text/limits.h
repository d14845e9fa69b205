// Says in a sentence what limits a kernel's predicted time, and what it would take if that were gone. Pure
// functions; what they know of the card is in the prediction.
#pragma once

#include <optional>
#include <string>

#include "core/languages/wording.h"
#include "lab/result.h"

namespace cudalab::report {

// "shared memory takes 83 % of ~940 us: 32 wavefronts a request; without conflicts ~170 us". Nothing where no
// time is predicted.
std::optional<std::string> explain_limits(const lab::Row& row, const Wording& wording = {});

// The predicted time if that resource were asked for `part` of what it is asked for: 0 is "not at all". All
// other resources overlap with each other, the launch itself with none.
double predicted_ms_with(const Prediction& prediction, const std::string& resource, double part);

// "dram": "the card's memory"
std::string name_of_resource(const std::string& resource, const Wording& wording = {});

std::string predicted(double milliseconds);  // "~38.0 us"

}  // namespace cudalab::report
