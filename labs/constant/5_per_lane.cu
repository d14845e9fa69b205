// Many dot products with one vector, each thread beginning at a place of its own in the vector: out[t] = sum over k of
// matrix[k][t] * vector[k + t % DISTINCT], where the vector begins again after its end.
//
//     vector           matrix                  t0 t1 t2 … t31
//     +-----+          +-----------------------------------+
//     | k   | -------> | row k:  one element for a thread  |     t0 wants vector[k], t1 vector[k + 1] …:
//     | k+1 | -------> |                                   |     DISTINCT addresses, read one after the other
//     | …   |          +-----------------------------------+

__constant__ TYPE vector[LENGTH];

extern "C" __global__ void products(const TYPE* matrix, TYPE* out, unsigned count)
{
    const unsigned t = blockIdx.x * blockDim.x + threadIdx.x;

    if (t < count) {
        TYPE sum = 0;
        unsigned place = t % DISTINCT % LENGTH;
        for (unsigned k = 0; k < LENGTH; ++k) {
            sum += matrix[size_t(k) * count + t] * vector[place];
            place = place + 1 < LENGTH ? place + 1 : 0;
        }
        out[t] = sum;
    }
}
