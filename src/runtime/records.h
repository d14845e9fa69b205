// Sends what happens to the process that watches this one, where there is one; and finds out who called.
#pragma once

#include <string>

#include "core/programs/program_record.h"

namespace cudalab::runtime {

// The name of the socket is in the environment under this name; `cudalab exec` sets it.
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
  int connected_as_ = 0;  // a child is a process of its own, with a connection of its own
};

// Of the program's code nearest to the runtime; empty where nothing is known.
CallSite call_site();

}  // namespace cudalab::runtime
