// A host that makes no calls while work is queued: a card would have done it meanwhile.
#pragma once

namespace cudalab::runtime {

// From the first queued work on, on a thread of its own. A host that keeps looking at memory that the work
// writes gets the work done soon, and a line in the report; any other one after a longer time.
void watch_idle_host();

}  // namespace cudalab::runtime
