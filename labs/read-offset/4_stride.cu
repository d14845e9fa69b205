// Read with a stride: neighbouring threads read elements that are `stride` apart. Every warp is full, and every
// element is read once: round 0 reads the elements 0, stride, 2 stride, …, round 1 those after them, and so on.
//
//     sectors     |0              |8              |16             |24             |…      |56             |
//     stride 1     t0 … t7         t8 … t15        t16 … t23       t24 … t31                                   4 sectors
//     stride 2     t0  t1  t2  t3  t4  t5  t6  t7  t8  t9  t10 t11 t12 t13 t14 t15  …       t28 t29 t30 t31    8 sectors
//     stride 8     t0              t1              t2              t3               …       t7                32 sectors
//
// A warp uses one element of `stride` in each sector. The others are asked for by other warps, later. With an offset as
// well, the addresses are misaligned and uncoalesced at once.

extern "C" __global__ void read_stride(const TYPE* A, const TYPE* B, TYPE* C, size_t n, size_t round, size_t stride,
                                       size_t offset)  // round: n / stride, the elements that a round reads
{
    const size_t x = size_t(blockIdx.x) * blockDim.x + threadIdx.x;
    const size_t k = x * stride + blockIdx.y + offset;

    if (x < round && k < n)
        C[blockIdx.y * round + x] = A[k] + B[k];
}
