// Constant memory, a device function, host state between the kernels, and conditional host code.
#include <stdio.h>
#include <float.h>
#include "../common/book.h"

#define SIZE 256
#define BIG FLT_MAX
#if 0
This isn't code at all: it's { a note.
#endif

struct Sphere {
  float r, b, g;
  float radius, x, y, z;
  __device__ float hit(float ox, float oy, float *n) const {
    float dx = ox - x, dy = oy - y;
    if (dx * dx + dy * dy < radius * radius) {
      float dz = sqrtf(radius * radius - dx * dx - dy * dy);
      *n = dz / sqrtf(radius * radius);
      return dz + z;
    }
    return -BIG;
  }
};

__constant__ Sphere spheres[4];
__device__ int hits;
int total = 0;
const char *title = "spheres";
const int kCount = 4;
static struct { int width; } window;
typedef void (*callback)(int);
enum Shape { kRound, kSquare };

#ifdef USE_DOUBLE
typedef double real;
#else
typedef float real;
#endif

#ifdef USE_DOUBLE
void report(double x) {
#else
void report(float x) {
#endif
  printf("%f\n", x);
}

__device__ __forceinline__ real squared(real x) { return x * x; }

__global__ void trace(float *image, int width)
{
  const int x = threadIdx.x + blockIdx.x * blockDim.x;
  float nearest = -INFINITY, n = 0;
  for (int i = 0; i < kCount; i++) {
    const float t = spheres[i].hit(x, 0.f, &n);
    if (t > nearest) nearest = t, atomicAdd(&hits, 1);
  }
  if (x < width) image[x] = squared(nearest > -BIG ? nearest : 0);
}

static void key(unsigned char c, int, int)
{
  if (c == '}' || c == '"' || c == '\'') exit(0);
}

__global__ void scale(float *image, float by) {
  image[threadIdx.x + blockIdx.x * blockDim.x] *= by;
}

int main(void) {
#ifdef GRAPHICS
  glutInit();
#endif
  Sphere host[4];
  cudaMemcpyToSymbol(spheres, host, sizeof(host));
  trace<<<1, SIZE>>>(NULL, SIZE);
  scale<<<1, SIZE>>>(NULL, 2.f);
  return 0;
}
