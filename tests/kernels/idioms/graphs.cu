// Graphs and simulations: frontiers, labels, bodies, random walks. The graph has n nodes, with edges from i
// to i + 1 and i + 7, modulo n.
__device__ int neighbour(int i, int k, int n) { return (i + (k ? 7 : 1)) % n; }

extern "C" __global__ void level_step(int* level, int n, int current, int* changed) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n || atomicAdd(&level[i], 0) != current) return;
  for (int k = 0; k < 2; ++k)
    if (atomicCAS(&level[neighbour(i, k, n)], 1000, current + 1) == 1000) *changed = 1;
}
// run: --kernel level_step --grid 2 --block 64 --arg buf:i32:100:iota --arg i32:100 --arg i32:5 --arg buf:i32:1:zero

extern "C" __global__ void frontier_step(const int* frontier, int length, int* visited, int* next,
                                         int* next_length, int n) {
  const int f = blockIdx.x * blockDim.x + threadIdx.x;
  if (f >= length) return;
  for (int k = 0; k < 2; ++k) {
    const int node = neighbour(frontier[f], k, n);
    if (atomicExch(&visited[node], 1) == 0) next[atomicAdd(next_length, 1)] = node;
  }
}
// run: --kernel frontier_step --grid 1 --block 32 --arg buf:i32:20:iota --arg i32:20 --arg buf:i32:100:zero --arg buf:i32:100 --arg buf:i32:1:zero --arg i32:100

extern "C" __global__ void shortest_paths(const int* distance, int* relaxed, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 2; ++k) atomicMin(&relaxed[neighbour(i, k, n)], distance[i] + 1 + k);
}
// run: --kernel shortest_paths --grid 2 --block 64 --arg buf:i32:100:iota --arg buf:i32:100:iota --arg i32:100

extern "C" __global__ void rank_pull(const float* rank, float* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) next[i] = 0.15f / n + 0.85f * (rank[(i + n - 1) % n] + rank[(i + n - 7) % n]) / 2;
}
// run: --kernel rank_pull --grid 2 --block 64 --arg buf:f32:100:random --arg buf:f32:100 --arg i32:100

extern "C" __global__ void rank_push(const float* rank, float* next, int n) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  for (int k = 0; k < 2; ++k) atomicAdd(&next[neighbour(i, k, n)], 0.425f * rank[i]);
}
// run: --kernel rank_push --grid 2 --block 64 --arg buf:f32:100:random --arg buf:f32:100:zero --arg i32:100

// Bodies in tiles: all threads of the block read each body of the tile.
extern "C" __global__ void forces(const float4* body, float3* force, int n) {
  __shared__ float4 tile[64];
  const int i = blockIdx.x * 64 + threadIdx.x;
  const float4 me = i < n ? body[i] : make_float4(0, 0, 0, 0);
  float3 sum = make_float3(0, 0, 0);
  for (int first = 0; first < n; first += 64) {
    tile[threadIdx.x] = first + threadIdx.x < n ? body[first + threadIdx.x] : make_float4(0, 0, 0, 0);
    __syncthreads();
    for (int k = 0; k < 64; ++k) {
      const float dx = tile[k].x - me.x, dy = tile[k].y - me.y, dz = tile[k].z - me.z;
      const float far = rsqrtf(dx * dx + dy * dy + dz * dz + 0.01f);
      const float strength = tile[k].w * far * far * far;
      sum.x += dx * strength;
      sum.y += dy * strength;
      sum.z += dz * strength;
    }
    __syncthreads();
  }
  if (i < n) force[i] = sum;
}
// run: --kernel forces --grid 2 --block 64 --arg buf:f32:400:random --arg buf:f32:300 --arg i32:100

// Estimates pi by random points: one generator per thread, one atomic addition per block.
extern "C" __global__ void darts(unsigned* hits, int throws) {
  __shared__ unsigned of_block;
  if (threadIdx.x == 0) of_block = 0;
  __syncthreads();
  unsigned state = (blockIdx.x * blockDim.x + threadIdx.x) * 747796405u + 1u, mine = 0;
  for (int i = 0; i < throws; ++i) {
    state = state * 1664525u + 1013904223u;
    const float x = (state >> 8) * (1.0f / 16777216);
    state = state * 1664525u + 1013904223u;
    const float y = (state >> 8) * (1.0f / 16777216);
    mine += x * x + y * y < 1;
  }
  atomicAdd(&of_block, mine);
  __syncthreads();
  if (threadIdx.x == 0) atomicAdd(hits, of_block);
}
// run: --kernel darts --grid 4 --block 64 --arg buf:u32:1:zero --arg i32:50

extern "C" __global__ void mandelbrot(unsigned char* image, int width, int height) {
  const int x = blockIdx.x * blockDim.x + threadIdx.x, y = blockIdx.y * blockDim.y + threadIdx.y;
  if (x >= width || y >= height) return;
  const float re = 3.0f * x / width - 2, im = 2.0f * y / height - 1;
  float a = 0, b = 0;
  int i = 0;
  for (; i < 60 && a * a + b * b < 4; ++i) {
    const float next = a * a - b * b + re;
    b = 2 * a * b + im;
    a = next;
  }
  image[y * width + x] = i;
}
// run: --kernel mandelbrot --grid 4,3 --block 16,8 --arg buf:u8:1200 --arg i32:60 --arg i32:20

struct Particle {
  float position[2], velocity[2];
  short kind;
};
extern "C" __global__ void move_particles(Particle* particles, int n, float step) {
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i >= n) return;
  Particle p = particles[i];
  for (int d = 0; d < 2; ++d) {
    p.position[d] += step * p.velocity[d];
    if (p.position[d] < -1 || p.position[d] > 1) p.velocity[d] = -p.velocity[d];
  }
  particles[i] = p;
}
// run: --kernel move_particles --grid 1 --block 64 --arg buf:f32:250:random --arg i32:50 --arg f32:0.1

// Assigns points to the nearest centre; the sums per centre are accumulated in shared memory.
extern "C" __global__ void assign_points(const float2* points, const float2* centres, int* which, float* sums,
                                         int n) {
  __shared__ float gathered[4 * 3];
  if (threadIdx.x < 12) gathered[threadIdx.x] = 0;
  __syncthreads();
  const int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int best = 0;
    float nearest = 1e30f;
    for (int c = 0; c < 4; ++c) {
      const float dx = points[i].x - centres[c].x, dy = points[i].y - centres[c].y, far = dx * dx + dy * dy;
      if (far < nearest) nearest = far, best = c;
    }
    which[i] = best;
    atomicAdd(&gathered[best * 3], points[i].x);
    atomicAdd(&gathered[best * 3 + 1], points[i].y);
    atomicAdd(&gathered[best * 3 + 2], 1.0f);
  }
  __syncthreads();
  if (threadIdx.x < 12) atomicAdd(&sums[threadIdx.x], gathered[threadIdx.x]);
}
// run: --kernel assign_points --grid 3 --block 64 --arg buf:f32:300:random --arg buf:f32:8:random --arg buf:i32:150 --arg buf:f32:12:zero --arg i32:150
