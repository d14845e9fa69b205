// Many dot products with one vector: out[t] = sum over k of matrix[k][t] * vector[k], a thread for each t.
//
//     vector           matrix                  t0 t1 t2 … t31
//     +---+            +-----------------------------------+
//     | k | ---------> | row k:  one element for a thread  |     all 32 threads want the same vector[k]:
//     +---+            +-----------------------------------+     one address, one read for the whole warp

__constant__ TYPE vector[LENGTH];

extern "C" __global__ void products(const TYPE* matrix, TYPE* out, unsigned count)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

    if (t < count) {
        TYPE sum = 0;
        for (unsigned k = 0; k < LENGTH; ++k)
            sum += matrix[size_t(k) * count + t] * vector[k];
        out[t] = sum;
    }
}
