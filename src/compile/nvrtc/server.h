// The process in which NVRTC compiles: this program once more, which compiles what it is asked to until
// nobody is there any more who could ask.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace cudalab::compile {

// What the server is asked, as the first field of a message: to look for NVRTC, passing over the libraries
// that follow; to compile a NvrtcTask, in so many seconds of processor time.
inline constexpr std::string_view kFind = "find", kCompile = "compile";

// What it answers with: FoundNvrtc; NvrtcOutcome; the message of an Error. Before that, that it has begun,
// and each library that it is about to load.
inline constexpr std::string_view kBegun = "begun", kTrying = "trying", kFound = "found", kDone = "done",
                                  kFailed = "failed";

// The command line of a server that speaks through the descriptor. Whatever program of ours is started with
// it, be it a test, becomes the server before main().
std::vector<std::string> words_of_server(int socket);

}  // namespace cudalab::compile
