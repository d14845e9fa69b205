// c = a + b on the GPU. The kernel and the host code around it are missing.
//
//   allocate -> copy in -> launch -> copy out -> free
//
// Reads n, the n elements of a and those of b from standard input, and writes the n elements of c.
#include <cstdio>
#include <cstdlib>
#include <vector>

__global__ void add(const float* a, const float* b, float* c, int n)
{
    // TODO: c[i] = a[i] + b[i] for each i below n
}

bool read(float* numbers, int n)
{
    for (int i = 0; i < n; ++i)
        if (std::scanf("%f", &numbers[i]) != 1)
            return false;
    return true;
}

int main(int argc, char** argv)
{
    int block = argc > 1 ? std::atoi(argv[1]) : 256, n = 0;
    if (std::scanf("%d", &n) != 1)
        return 2;
    std::vector<float> a(n), b(n), c(n);
    if (!read(a.data(), n) || !read(b.data(), n))
        return 2;

    // TODO: allocate three vectors on the device, copy a and b there, launch add with `block` threads per block,
    // copy c back, and free what you allocated.

    for (float x : c)
        std::printf("%g\n", x);
}
