// The standard output of a program that a debug session runs, which the session sends to its client.
#pragma once

#include <string>

#include "core/files.h"

namespace cudalab::cli {

class ProgramOutput {
 public:
  // From now on, standard output goes to a pipe. If the system provides none, it stays where it is.
  ProgramOutput();
  // What has arrived in the pipe. Does not block. A program that prints faster than this is called waits.
  std::string take() const;

 private:
  Descriptor pipe_;
};

}  // namespace cudalab::cli
