// All blocks of the grid wait for each other between two steps, which needs a cooperative launch.
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

extern "C" __global__ void two_steps(int* first, int* second, int n) {
  const cg::grid_group grid = cg::this_grid();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) first[i] = i * i;
  grid.sync();
  for (int i = grid.thread_rank(); i < n; i += grid.size()) second[i] = first[n - 1 - i] + 1;
}

// run: --kernel two_steps --grid 8 --block 64 --arg buf:i32:1000 --arg buf:i32:1000 --arg i32:1000
