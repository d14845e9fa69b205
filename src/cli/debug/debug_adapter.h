// The Debug Adapter Protocol: what an editor asks of a launch on the virtual GPU.
#pragma once

#include "cli/debug/protocol_stream.h"
#include "cli/terminal/console.h"
#include "core/error.h"

namespace cudalab::cli {

// Until the client ends the session or is gone. What a launch needs and does not get (a file, a compiler) is
// told to the client.
void serve_debug_adapter(ProtocolStream& stream, const Console& console);

}  // namespace cudalab::cli
