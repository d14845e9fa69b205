// The dot product of two vectors that kernels read through texture objects. One is bound to linear memory, the
// other to a CUDA array, which is also read between its elements.
//
//   texture_dot [ELEMENTS]                          default: 10000
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call)                                                                             \
    do {                                                                                        \
        cudaError_t error = (call);                                                             \
        if (error != cudaSuccess) {                                                             \
            std::fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, cudaGetErrorString(error)); \
            std::exit(1);                                                                       \
        }                                                                                       \
    } while (false)

constexpr int BLOCK = 256;
constexpr int WIDTH = 1024;  // elements per row of the array

// x[i] comes from linear memory, y[i] from row i / WIDTH of the array. The centre of an element is at + 0.5.
__global__ void dot(cudaTextureObject_t x, cudaTextureObject_t y, float* partial, int n)
{
    __shared__ float sum[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    sum[threadIdx.x] = i < n ? tex1Dfetch<float>(x, i) * tex2D<float>(y, i % WIDTH + 0.5f, i / WIDTH + 0.5f) : 0;
    __syncthreads();
    for (int half = BLOCK / 2; half > 0; half /= 2) {
        if (threadIdx.x < half)
            sum[threadIdx.x] += sum[threadIdx.x + half];
        __syncthreads();
    }
    if (threadIdx.x == 0)
        partial[blockIdx.x] = sum[0];
}

// Between two elements, a texture with a linear filter returns their mean.
__global__ void between(cudaTextureObject_t y, float* mean)
{
    *mean = tex2D<float>(y, 1.0f, 0.5f);
}

cudaTextureObject_t texture_of(const cudaResourceDesc& resource, cudaTextureFilterMode filter)
{
    cudaTextureDesc reading{};
    reading.addressMode[0] = reading.addressMode[1] = cudaAddressModeClamp;
    reading.filterMode = filter;
    reading.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &reading, nullptr));
    return texture;
}

int main(int argc, char** argv)
{
    const int n = argc > 1 ? std::atoi(argv[1]) : 10000;
    const int rows = (n + WIDTH - 1) / WIDTH, blocks = (n + BLOCK - 1) / BLOCK;
    std::vector<float> x(n), y(size_t(rows) * WIDTH), partial(blocks);
    for (int i = 0; i < n; ++i) {
        x[i] = float(i % 9 - 4);
        y[i] = float(i % 4);
    }

    float *device_x, *device_partial, *device_mean;
    CHECK(cudaMalloc(&device_x, n * sizeof(float)));
    CHECK(cudaMalloc(&device_partial, blocks * sizeof(float)));
    CHECK(cudaMalloc(&device_mean, sizeof(float)));
    CHECK(cudaMemcpy(device_x, x.data(), n * sizeof(float), cudaMemcpyHostToDevice));

    cudaChannelFormatDesc channel = cudaCreateChannelDesc<float>();
    cudaArray_t array;
    CHECK(cudaMallocArray(&array, &channel, WIDTH, rows));
    const size_t row_bytes = WIDTH * sizeof(float);
    CHECK(cudaMemcpy2DToArray(array, 0, 0, y.data(), row_bytes, row_bytes, rows, cudaMemcpyHostToDevice));

    cudaResourceDesc linear{}, in_array{};
    linear.resType = cudaResourceTypeLinear;
    linear.res.linear.devPtr = device_x;
    linear.res.linear.desc = channel;
    linear.res.linear.sizeInBytes = n * sizeof(float);
    in_array.resType = cudaResourceTypeArray;
    in_array.res.array.array = array;
    cudaTextureObject_t texture_x = texture_of(linear, cudaFilterModePoint);
    cudaTextureObject_t texture_y = texture_of(in_array, cudaFilterModeLinear);

    dot<<<blocks, BLOCK>>>(texture_x, texture_y, device_partial, n);
    CHECK(cudaGetLastError());
    between<<<1, 1>>>(texture_y, device_mean);
    CHECK(cudaGetLastError());
    float mean = 0;
    CHECK(cudaMemcpy(partial.data(), device_partial, blocks * sizeof(float), cudaMemcpyDeviceToHost));
    CHECK(cudaMemcpy(&mean, device_mean, sizeof(float), cudaMemcpyDeviceToHost));

    double found = 0, expected = 0;
    for (float part : partial)
        found += part;
    for (int i = 0; i < n; ++i)
        expected += double(x[i]) * y[i];
    const float between_them = (y[0] + y[1]) / 2;
    const bool is_right = found == expected && mean == between_them;
    std::printf("dot product %g, expected %g; between two elements %g, expected %g\n", found, expected, mean,
                between_them);

    CHECK(cudaDestroyTextureObject(texture_x));
    CHECK(cudaDestroyTextureObject(texture_y));
    CHECK(cudaFreeArray(array));
    CHECK(cudaFree(device_x));
    CHECK(cudaFree(device_partial));
    CHECK(cudaFree(device_mean));
    return is_right ? 0 : 1;
}
