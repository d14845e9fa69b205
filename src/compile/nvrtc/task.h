// What the process that compiles is asked, and what it answers: plain data, and as messages.
#pragma once

#include <filesystem>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "compile/compiler.h"
#include "core/diagnostics/message.h"
#include "core/processes/message_socket.h"

namespace cudalab::compile {

// What this machine has of NVRTC.
struct FoundNvrtc {
  std::filesystem::path path;        // of the library; empty where there is none
  std::string version;               // "13.0"
  std::vector<int> architectures;    // compute_XY that it compiles for, as 10 * major + minor
  std::vector<Message> passed_over;  // "/opt/old/libnvrtc.so.12 lacks nvrtcGetPTX"

  bool is_found() const { return !path.empty(); }
  // The highest compute_XY that it compiles for, at most `wanted`; 0 where none is.
  int architecture_up_to(int wanted) const;
  int lowest_architecture() const;  // 0 where there is none
};

struct NvrtcTask {
  std::filesystem::path library;
  std::filesystem::path folder;  // that relative paths are seen from
  std::string source, file_name;
  std::vector<std::string> options, name_expressions;
  std::vector<HeaderText> headers;
};

struct NvrtcOutcome {
  bool compiled = false;  // false: the log says why
  std::string ptx, log;
  std::map<std::string, std::string> lowered_names;
};

Fields to_fields(const FoundNvrtc& found);
Fields to_fields(const NvrtcTask& task);
Fields to_fields(const NvrtcOutcome& outcome);

// Of fields that to_fields made.
FoundNvrtc found_nvrtc_from(const Fields& fields);
NvrtcTask nvrtc_task_from(const Fields& fields);
NvrtcOutcome nvrtc_outcome_from(const Fields& fields);

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
