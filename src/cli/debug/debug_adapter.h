// A server for the Debug Adapter Protocol, with which editors debug a launch on the virtual GPU.
#pragma once

#include "cli/debug/protocol_stream.h"
#include "cli/terminal/console.h"
#include "core/error.h"

namespace cudalab::cli {

// Runs until the client ends the session or disconnects. Errors of the launch, such as a missing file or
// compiler, are reported to the client.
void serve_debug_adapter(ProtocolStream& stream, const Console& console);

}  // namespace cudalab::cli
