// Facts from a kernel's source text that improve reports: elements by their indices, and details of hazards.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "compile/sources/declared_arrays.h"
#include "core/measurement.h"

namespace cudalab::lab {

using compile::Macros;

// Replaces the element `tile[1058]` in the message by `tile[32][2]`, as the line writes it. Uses the last
// declaration of that name before the line. If there is none, or the line does not use all indices, the
// message stays unchanged.
Message named_by_rows(const Message& message, const std::string& name, int line, std::string_view source,
                      const Macros& given = {});

// Facts from the source that make hazards clearer: a branch is a return, a trap comes from the compiler, an
// element has several indices.

// The line of the `return` that the `if` in this line leads to, either directly or as the last statement in
// its braces.
std::optional<int> return_behind_if(const std::string& source, int line);

// Rewrites hazards: a thread returned before a barrier instead of taking a branch around it; a trap comes
// from the compiler; an element is named by its declared indices. `file`: the hazards' name of the source.
void explain_by_source(std::vector<Hazard>& hazards, const std::string& file, const std::string& source,
                       const Macros& given = {});

// ---- races that the compiler may have made -----------------------------------------------------------
// Compilers hoist a load above the condition that guards it in the source, and load for lanes that the source
// excludes. That is harmless on a GPU, which discards the value, but formally a race. So a race with an
// ordinary load counts only if it also occurs without optimisation (-G).

// Whether there are races that count only if they are found again.
bool want_confirmation(const std::vector<Hazard>& hazards);

// The source for that unoptimised build; it cannot detect the build mode. `file`: the hazards' name of the
// source.
std::string source_as_it_stands(const std::string& source, const std::string& file);

// Removes the races with ordinary loads that `again` does not have, neither between the same two lines nor on
// the same variable, and returns them. `again`: all hazards of a completed run without optimisation.
std::vector<Hazard> take_unconfirmed(std::vector<Hazard>& hazards, const std::vector<Hazard>& again);

// Removes advice that the author of only the kernel cannot follow.
void advise_kernel_only(std::vector<Hazard>& hazards);

}  // namespace cudalab::lab
