// Layer norm in two passes that is safe: Welford's algorithm updates the mean and the sum of squared deviations.
//
//     one more element x:    delta = x - mean;  mean += delta / count;  squares += delta * (x - mean)
//     two parts together:    delta = mean2 - mean1
//                            mean     = mean1 + delta * count2 / count
//                            squares  = squares1 + squares2 + delta² * count1 * count2 / count
//
// `squares` contains only deviations from the mean, never the squares of large elements, so nothing cancels. The price is a
// division per element and a chain of dependent operations: each element needs the mean of the elements before it.
// Sources: Welford, 1962; for two parts, Chan, Golub and LeVeque, 1983.

#define ALL_LANES 0xffffffff

extern "C" __global__ void layer_norm(const float* in, float* out, int rows, int columns, float epsilon)
{
    const int lane = threadIdx.x % 32;
    const int row = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
    if (row >= rows)
        return;  // a whole warp: the shuffles below need all lanes of the others
    const float* x = in + size_t(row) * columns;
    float* y = out + size_t(row) * columns;

    float count = 0, mean = 0, squares = 0;
    for (int c = lane; c < columns; c += 32) {
        const float delta = x[c] - mean;
        mean += delta / ++count;
        squares += delta * (x[c] - mean);
    }
    for (int distance = 16; distance > 0; distance /= 2) {
        const float other_count = __shfl_xor_sync(ALL_LANES, count, distance);
        const float other_mean = __shfl_xor_sync(ALL_LANES, mean, distance);
        const float other_squares = __shfl_xor_sync(ALL_LANES, squares, distance);
        const float both = count + other_count, delta = other_mean - mean;
        if (both > 0) {  // two lanes without elements have nothing to join
            mean += delta * (other_count / both);
            squares += other_squares + delta * delta * (count * other_count / both);
        }
        count = both;
    }

    const float scale = rsqrtf(squares / columns + epsilon);
    for (int c = lane; c < columns; c += 32)
        y[c] = (x[c] - mean) * scale;
}
