// Prints the best instruction-set level that this machine has: what CUDALAB_LEVELS=own builds.
#include <cstdio>

#include "vgpu/levels.h"

int main() {
  namespace host_has = cudalab::vgpu::host_has;
  std::fputs(host_has::x86_64_v4() ? "x86_64_v4" : host_has::x86_64_v3() ? "x86_64_v3" : "generic", stdout);
}
