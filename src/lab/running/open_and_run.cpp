// Runs a lab on the machine it finds: opens the device, finds the labs, compiles with NVRTC.
#include "compile/compile_kernels.h"
#include "lab/host.h"
#include "lab/lab.h"
#include "lab/locate.h"

namespace cudalab::lab {

Result run_lab(const Lab& lab, const RunRequest& request) {
  Options checked(lab.options, false);  // bad options are reported before a device is looked for
  for (const auto& [name, value] : request.options) checked.set(name, value);
  const std::unique_ptr<device::Device> device =
      device::open_device(request.settings.device, request.settings.card);
  return run_lab(lab, request, Machine{*device, compile::compile_kernels, labs_directory(), describe_host()});
}

}  // namespace cudalab::lab
