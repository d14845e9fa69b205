// The entry of the program: arguments in, exit code out.
#include "cli/program.h"

int main(int argc, char** argv) {
  cudalab::cli::Console console = cudalab::cli::console_of_this_process();
  return cudalab::cli::run_program({argv + 1, argv + argc}, console);
}
