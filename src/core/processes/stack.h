// How much stack this process may take, which whoever started it may have made too little.
#pragma once

namespace cudalab {

// Raises limits that are too low, for the thread that runs and those that will; false where the system does
// not let us. Needs next to no stack itself.
bool has_room_on_the_stack();

}  // namespace cudalab
