// Said once a name.
#include "runtime/missing.h"

#include <cstdio>
#include <set>
#include <string>

#include "runtime/call.h"

namespace cudalab::runtime {

int answer_missing(const char* name) {
  return answer_always(name, [&] {
    static std::set<std::string> said;
    const std::string what = fmt::format("the program calls {}, which the virtual GPU does not have", name);
    if (said.insert(name).second) {
      if (the_runtime().records.is_watched())
        report_mistake(MistakeKind::kUnsupported, what, "run it on a card, or leave the call out");
      else
        std::fprintf(stderr, "cudalab: %s; run it on a card, or leave the call out\n", what.c_str());
    }
    throw Failure{cudaErrorNotSupported, what};
  });
}

}  // namespace cudalab::runtime
