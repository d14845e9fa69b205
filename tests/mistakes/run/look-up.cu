// Looks values up in a table through a texture of linear memory.
#include <cstdio>
#include <vector>

__global__ void look_up(cudaTextureObject_t table, const int* keys, float* values, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n)
        values[i] = tex1Dfetch<float>(table, keys[i]);
}

int main()
{
    const int n = 640, entries = 100;
    std::vector<float> table(entries), values(n);
    std::vector<int> keys(n);
    for (int i = 0; i < entries; ++i)
        table[i] = i * 0.5f;
    for (int i = 0; i < n; ++i)
        keys[i] = i * 13 % entries;
    float *d_table, *d_values;
    int* d_keys;
    cudaMalloc(&d_table, entries * sizeof(float));
    cudaMalloc(&d_values, n * sizeof(float));
    cudaMalloc(&d_keys, n * sizeof(int));
    cudaMemcpy(d_table, table.data(), entries * sizeof(float), cudaMemcpyHostToDevice);
    cudaMemcpy(d_keys, keys.data(), n * sizeof(int), cudaMemcpyHostToDevice);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = d_table;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = entries * sizeof(float);
    cudaTextureDesc description = {};
    description.readMode = cudaReadModeElementType;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &description, nullptr);
    look_up<<<5, 128>>>(texture, d_keys, d_values, n);
    cudaMemcpy(values.data(), d_values, n * sizeof(float), cudaMemcpyDeviceToHost);
    int wrong = 0;
    for (int i = 0; i < n; ++i)
        wrong += values[i] != table[keys[i]];
    printf("%d wrong\n", wrong);
    cudaDestroyTextureObject(texture);
    cudaFree(d_table);
    cudaFree(d_values);
    cudaFree(d_keys);
    return wrong > 0;
}
