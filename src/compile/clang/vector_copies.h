// Copies of aligned structures as loads and stores of vectors.
#pragma once

#include <string>

namespace cudalab::compile {

// LLVM's NVPTX back end moves a structure of 16 aligned bytes, as float4 is one, in two pieces of 8; nvcc
// moves it in one, which is what the lesson on wide accesses is about. Replaces each call of llvm.memcpy in
// LLVM's text whose sides are aligned to 16 bytes, and whose length is a multiple of that up to 128 bytes, by
// loads and stores of <4 x i32>. To be done before optimisation, so the vectors reach all that depends on
// them.
std::string with_vector_copies(const std::string& llvm_text);

}  // namespace cudalab::compile
