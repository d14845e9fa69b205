// Sends records of the program's calls to the process that watches it, if there is one, and finds the call
// site of a call.
#pragma once

#include <string>

#include "core/programs/program_record.h"

namespace cudalab::runtime {

// Environment variable with the path of the socket. `cudalab exec` sets it.
inline constexpr const char* kRecordsVariable = "CUDALAB_RECORDS";

class Records {
 public:
  explicit Records(ProgramStart start) : start_(std::move(start)) {}
  void send(const ProgramRecord& record);
  bool is_watched();

 private:
  void connect();
  void write(const std::string& message);
  ProgramStart start_;
  int socket_ = -1;
  int connected_as_ = 0;  // the process that connected: a forked child needs a connection of its own
};

// The innermost frame of the calling program's code, outside the runtime. Empty if it is unknown.
CallSite call_site();

// The API function that the program has called, such as "cudaMemcpy". Empty if it is unknown.
std::string called_function();

}  // namespace cudalab::runtime
