// Compares the arguments of a call with the parameters that the compiler's notes name.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "compile/explain/facts.h"

namespace cudalab::compile {

// What to write in the place of an argument whose type does not fit, from the types that the compiler names.
// Empty if the types leave it open.
Message advice_on_argument_types(const Facts& facts, const Diagnosis& error);

// The number of arguments of the first call of a function that contains the line; 0 if there is none.
std::size_t arguments_of_call(const Facts& facts, std::string_view name, int line);

// The functions whose calls contain the line, the outermost first.
std::vector<std::string_view> functions_called_on(const Facts& facts, int line);

// The declaration of a function in our CUDA headers: "cudaMemcpy3D(const cudaMemcpy3DParms* params)". Empty
// if they do not declare it.
std::string declaration_in_headers(std::string_view name);

}  // namespace cudalab::compile
