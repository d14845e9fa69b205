// What a node of a graph does, made from the parameters that a program gives it.
#pragma once

#include <cuda_runtime_api.h>

#include "runtime/streams/graph.h"

namespace cudalab::runtime {

// What the node does from now on; its place in the graph stays. Of memory and of conditional nodes the
// parameters are told what was made: an address, the bodies. `call`: whose name errors bear.
// Throws Failure with the code that a card answers with.
void fill_node(const char* call, Graph& owner, GraphNode& node, cudaGraphNodeParams& params);

}  // namespace cudalab::runtime
