// Facts from a kernel's source text that improve reports: array shapes, and details of hazards.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/measurement.h"

namespace cudalab::lab {

// How the source declares arrays of several dimensions, so that their elements can be named as it does.

using Macros = std::vector<std::pair<std::string, std::string>>;  // {"TILE", "32"}

// `__shared__ float tile[32][33]` in line 7: {"tile", 7, {33}}.
struct DeclaredArray {
  std::string name;
  int line = 0;
  std::vector<std::uint64_t> inner;  // all dimensions but the first
};

// Of variables in shared, device or constant memory with at least two dimensions, where all but the first are
// numbers, sums or products of numbers, or constants and macros that stand for such.
// `given`: macros that the compiler was told, whatever the source defines.
std::vector<DeclaredArray> array_shapes(std::string_view source, const Macros& given = {});

// `tile[1058]` as the line writes it, `tile[32][2]`, wherever the message has it as an element. The
// declaration is the last one of that name before the line; where the line does not take the element by all
// its indices, or there is no such declaration, the message stays.
Message named_by_rows(const Message& message, const std::string& name, int line, std::string_view source,
                      const Macros& given = {});

// What the source's text adds to the hazards that a device has found: that a branch is a return, that nobody
// wrote a trap, what the compiler warned of.

// The line of the `return` that the `if` in this line leads to, alone or as the last of its braces.
std::optional<int> return_behind_if(const std::string& source, int line);

// Says in its own words that a thread returned before a barrier, where others may have gone around it by a
// branch; that a trap is the compiler's; and which element of an array it is, as its declaration counts.
// `file`: as the hazards name it.
void explain_by_source(std::vector<Hazard>& hazards, const std::string& file, const std::string& source,
                       const Macros& given = {});

// ---- races that the compiler may have made -----------------------------------------------------------
// Compilers read memory ahead of the condition under which the source reads it, and for lanes that it spares:
// harmless on a card, whose lanes throw the value away, and a race by the letter. So a race with an ordinary
// load counts where the source has it when it is compiled as it stands, without optimisation (-G), too.

// Whether there are races that count only where they are found again.
bool want_confirmation(const std::vector<Hazard>& hazards);

// The source for that: as it stands, also where it asks how it is compiled. `file`: as the hazards name it.
std::string source_as_it_stands(const std::string& source, const std::string& file);

// Takes away the races with ordinary loads that a run without optimisation does not have: neither between the
// same two lines nor on the same variable. `again`: all its hazards; it must have run to its end. Returns
// what it took away.
std::vector<Hazard> take_unconfirmed(std::vector<Hazard>& hazards, const std::vector<Hazard>& again);

// For those who write the kernel alone: what they cannot do is not advised.
void advise_kernel_only(std::vector<Hazard>& hazards);

}  // namespace cudalab::lab
