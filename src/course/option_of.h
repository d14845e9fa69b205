// Finds an option of a lab that a file of the course names.
#pragma once

#include <string_view>

#include "core/error.h"
#include "lab/lab.h"

namespace cudalab::course {

// Throws Error(kUsage), where the lab has none of that name.
inline const lab::OptionSpec& option_of(const lab::Lab& lab, std::string_view name, std::string_view place) {
  for (const lab::OptionSpec& spec : lab.options)
    if (spec.name == name) return spec;
  throw usage_error("{}: the lab {} has no option `{}`; `cudalab {} --help` lists them", place, lab.name,
                    name, lab.name);
}

}  // namespace cudalab::course
