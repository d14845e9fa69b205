// What the rules for suspicious source share: places of calls, declarations and launches among its tokens.
// Each rule adds what it finds, with its line.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "compile/explain/facts.h"

namespace cudalab::compile {

using Found = std::vector<Diagnosis>;
using Range = std::pair<std::size_t, std::size_t>;  // tokens [first, second)

void add_suspicion(const Facts& facts, int line, Message what, Found& found);

const FoundFunction* function_around(const Facts& facts, std::size_t at);
bool is_in_device_code(const Facts& facts, std::size_t at);

std::string code_of(const Tokens& tokens, const Range& range);

// The innermost call around a token: the index of its `(`, with a name before it. 0 if there is none in this
// statement.
std::size_t call_around(const Tokens& tokens, std::size_t at);

// The tokens of each argument of the call whose `(` is at `open`.
std::vector<Range> arguments_of(const Tokens& tokens, std::size_t open);

// The arguments of the launch whose `<<<` is at `at`: grid, block, …; empty if it is none.
std::vector<Range> configuration_at(const Tokens& tokens, std::size_t at);

// The declaration of a name that holds at a token: the last one before it in the same function, or else the
// only one outside of functions.
std::optional<std::size_t> declaration_for(const Facts& facts, std::string_view name, std::size_t at);

// The tokens of the type before a declared name: `const float *` of `const float *x`. Those of a further name
// of a declaration include the names before it.
std::span<const SourceToken> type_of(const Tokens& tokens, std::size_t declared);

bool has_word(std::span<const SourceToken> tokens, std::string_view word);

// The value of an expression of integer constants whose values the source shows; nullopt if it is none.
std::optional<long long> constant_value(const Facts& facts, const Range& expression);

// ---- rules for kernels (kernel_suspicions.cpp) --------------------------------------------------------
void add_references(const Facts& facts, Found& found);       // as parameters of kernels
void add_constant_stores(const Facts& facts, Found& found);  // to __constant__ memory, in a kernel
void add_comparisons(const Facts& facts, Found& found);      // `x == y;` as a statement
void add_kernels_without_block(const Facts& facts,
                               Found& found);                     // launched with several, use only threadIdx
void add_index_formulas(const Facts& facts, Found& found);        // threadIdx.x * blockDim.x + blockIdx.x
void add_strides_of_a_block(const Facts& facts, Found& found);    // i += blockDim.x in a loop of the grid
void add_integer_divisions(const Facts& facts, Found& found);     // 1 / n, also on the host
void add_truncated_quotients(const Facts& facts, Found& found);   // double mean = sum / n, also on the host
void add_unset_sums(const Facts& facts, Found& found);            // float sum; … sum += x, also on the host
void add_character_subscripts(const Facts& facts, Found& found);  // counts[text[i]], also on the host
void add_random_states(const Facts& facts, Found& found);         // curand_uniform without curand_init
void add_halved_blocks(const Facts& facts, Found& found);         // s = blockDim.x / 2, with blocks of 48
void add_macros_without_parentheses(const Facts& facts, Found& found);  // #define SQUARE(x) x * x

// ---- rules for reductions (reduction_suspicions.cpp) --------------------------------------------------
void add_integer_sums(const Facts& facts, Found& found);
void add_integer_accumulations(const Facts& facts, Found& found);
void add_smallest_positive(const Facts& facts, Found& found);
void add_lost_results(const Facts& facts, Found& found);
void add_shuffles_of_a_warp(const Facts& facts, Found& found);
void add_atomics_of_all_threads(const Facts& facts, Found& found);
void add_kernels_without_launch(const Facts& facts, Found& found);

// ---- rules for host code (host_suspicions.cpp) --------------------------------------------------------
void add_uses_of_device_variables(const Facts& facts,
                                  Found& found);  // and constant memory that nothing fills
void add_sizes_without_type(const Facts& facts, Found& found);
void add_sizes_of_other_types(const Facts& facts, Found& found);  // sizeof(float) for a double*
void add_sizes_of_pointers(const Facts& facts, Found& found);
void add_memsets_of_values(const Facts& facts, Found& found);     // cudaMemset(ints, 1, …)
void add_addresses_of_vectors(const Facts& facts, Found& found);  // `&v` in a copy
void add_missing_addresses(const Facts& facts, Found& found);     // cudaMalloc((void**)d, …)
void add_second_allocations(const Facts& facts, Found& found);    // cudaMalloc(&a, …), twice
void add_exchanged_events(const Facts& facts, Found& found);      // cudaEventElapsedTime(&ms, stop, start)
void add_exchanged_launches(const Facts& facts, Found& found);    // <<<threads, blocks>>>
void add_grids_rounded_down(const Facts& facts, Found& found);    // n / 256 blocks for n = 1000

}  // namespace cudalab::compile
