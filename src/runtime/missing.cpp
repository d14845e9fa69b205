// Said once a name.
#include "runtime/missing.h"

#include <cstdio>
#include <set>
#include <string>

#include "messages/runtime.h"
#include "runtime/call.h"

namespace cudalab::runtime {

int answer_missing(const char* name) {
  return answer_always(name, [&] {
    static std::set<std::string> said;
    const Message what = msg::program_calls_missing(name);
    if (said.insert(name).second) {
      if (the_runtime().records.is_watched())
        report_mistake(MistakeKind::kUnsupported, what, msg::advice_run_on_card());
      else
        std::fprintf(stderr, "cudalab: %s; %s\n", what.text().c_str(),
                     msg::advice_run_on_card().text().c_str());
    }
    throw Failure{cudaErrorNotSupported, what};
  });
}

}  // namespace cudalab::runtime
