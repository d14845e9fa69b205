// Continues a program in several variants, for a search of a mistake (core/programs/program_variant.h).
#pragma once

namespace cudalab::runtime {

// If the tool asked for variants: waits for them, and returns only in forked children, once in each. To be
// called before the program's device code is loaded.
void serve_variants();

}  // namespace cudalab::runtime
