// Memory by the driver API: sets of all widths, pitched copies, host and managed memory, arrays, and attributes.
// nvcc: -l:libcuda.so.1
#include <cstring>

#include "driver_check.h"

// A texture over an array, read with linear filtering, and a surface that writes the array.
const char* const kTexturePtx = R"(
.version 7.8
.target sm_70
.address_size 64

.visible .entry sample(.param .u64 texture, .param .u64 out)
{
  .reg .b32 %r<2>;
  .reg .f32 %f<8>;
  .reg .b64 %rd<6>;
  ld.param.u64 %rd1, [texture];
  ld.param.u64 %rd2, [out];
  cvta.to.global.u64 %rd3, %rd2;
  mov.u32 %r1, %tid.x;
  cvt.rn.f32.u32 %f1, %r1;
  mov.f32 %f2, 0f3F800000;
  tex.2d.v4.f32.f32 {%f3, %f4, %f5, %f6}, [%rd1, {%f1, %f2}];
  mul.wide.u32 %rd4, %r1, 4;
  add.s64 %rd5, %rd3, %rd4;
  st.global.f32 [%rd5], %f3;
  ret;
}
.visible .entry fill(.param .u64 surface)
{
  .reg .b32 %r<4>;
  .reg .b64 %rd<2>;
  ld.param.u64 %rd1, [surface];
  mov.u32 %r1, %tid.x;
  shl.b32 %r2, %r1, 2;
  mov.u32 %r3, 0;
  sust.b.2d.b32.trap [%rd1, {%r2, %r3}], {%r1};
  ret;
}
)";

void run_texture() {
  CUdevice device;
  CUcontext context;
  CUmodule module;
  CUfunction sample, fill;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));
  CHECK(cuModuleLoadData(&module, kTexturePtx));
  CHECK(cuModuleGetFunction(&sample, module, "sample"));
  CHECK(cuModuleGetFunction(&fill, module, "fill"));

  float texels[2][4] = {{0, 1, 2, 3}, {10, 11, 12, 13}}, results[4];
  CUDA_ARRAY3D_DESCRIPTOR description{};
  description.Width = 4, description.Height = 2, description.Format = CU_AD_FORMAT_FLOAT;
  description.NumChannels = 1, description.Flags = CUDA_ARRAY3D_SURFACE_LDST;
  CUarray array;
  CHECK(cuArray3DCreate(&array, &description));
  CUDA_ARRAY_DESCRIPTOR told{};
  CHECK(cuArrayGetDescriptor(&told, array));
  std::printf("%zu %zu %d %u\n", told.Width, told.Height, told.Format, told.NumChannels);
  CUDA_MEMCPY2D copy{};
  copy.srcMemoryType = CU_MEMORYTYPE_HOST, copy.srcHost = texels, copy.srcPitch = sizeof texels[0];
  copy.dstMemoryType = CU_MEMORYTYPE_ARRAY, copy.dstArray = array;
  copy.WidthInBytes = sizeof texels[0], copy.Height = 2;
  CHECK(cuMemcpy2D(&copy));

  CUDA_RESOURCE_DESC resource{};
  resource.resType = CU_RESOURCE_TYPE_ARRAY, resource.res.array.hArray = array;
  CUDA_TEXTURE_DESC how{};
  how.filterMode = CU_TR_FILTER_MODE_LINEAR;
  how.addressMode[0] = how.addressMode[1] = CU_TR_ADDRESS_MODE_CLAMP;
  CUtexObject texture;
  CUsurfObject surface;
  CHECK(cuTexObjectCreate(&texture, &resource, &how, nullptr));
  CHECK(cuSurfObjectCreate(&surface, &resource));
  CUdeviceptr out;
  CHECK(cuMemAlloc(&out, sizeof results));
  void* sampling[] = {&texture, &out};
  CHECK(cuLaunchKernel(sample, 1, 1, 1, 4, 1, 1, 0, nullptr, sampling, nullptr));
  CHECK(cuMemcpyDtoH(results, out, sizeof results));
  std::printf("%g %g %g %g\n", results[0], results[1], results[2], results[3]);

  void* filling[] = {&surface};
  CHECK(cuLaunchKernel(fill, 1, 1, 1, 4, 1, 1, 0, nullptr, filling, nullptr));
  unsigned row[4];
  CHECK(cuMemcpyAtoH(row, array, 0, sizeof row));
  std::printf("%u %u %u %u\n", row[0], row[1], row[2], row[3]);
  CHECK(cuTexObjectDestroy(texture));
  CHECK(cuSurfObjectDestroy(surface));
  CHECK(cuArrayDestroy(array));
  CHECK(cuMemFree(out));
  CHECK(cuModuleUnload(module));
  CHECK(cuDevicePrimaryCtxRelease(device));
}

int main() {
  CUdevice device;
  CUcontext context;
  CHECK(cuInit(0));
  CHECK(cuDeviceGet(&device, 0));
  CHECK(cuDevicePrimaryCtxRetain(&context, device));
  CHECK(cuCtxSetCurrent(context));

  CUdeviceptr d, base;
  size_t size = 0, available = 0, total = 0;
  unsigned char host[64];
  CHECK(cuMemAlloc(&d, 64));
  CHECK(cuMemsetD8(d, 0x11, 64));
  CHECK(cuMemsetD16(d + 2, 0x2233, 3));
  CHECK(cuMemsetD32(d + 8, 0x44556677, 2));
  CHECK(cuMemsetD2D8(d + 32, 8, 0x99, 2, 3));
  CHECK(cuMemsetD2D32Async(d + 36, 8, 0xabcdef01, 1, 2, nullptr));
  CHECK(cuMemcpyDtoH(host, d, 64));
  for (int i = 0; i < 56; i++) std::printf("%02x%s", host[i], i % 28 == 27 ? "\n" : "");
  CHECK(cuMemGetAddressRange(&base, &size, d + 10));
  std::printf("%d %zu\n", base == d, size);

  CUdeviceptr pitched;
  size_t pitch = 0;
  CHECK(cuMemAllocPitch(&pitched, &pitch, 10, 4, 4));
  CHECK(cuMemsetD2D8(pitched, pitch, 7, 10, 4));
  CUDA_MEMCPY2D to{};
  unsigned char rows[6][10];
  std::memset(rows, 1, sizeof rows);
  to.srcMemoryType = CU_MEMORYTYPE_HOST, to.srcHost = rows, to.srcPitch = 10, to.srcXInBytes = 1, to.srcY = 2;
  to.dstMemoryType = CU_MEMORYTYPE_DEVICE, to.dstDevice = pitched, to.dstPitch = pitch, to.dstXInBytes = 4,
  to.dstY = 1;
  to.WidthInBytes = 3, to.Height = 2;
  CHECK(cuMemcpy2D(&to));
  CUDA_MEMCPY2D back{};
  back.srcMemoryType = CU_MEMORYTYPE_DEVICE, back.srcDevice = pitched, back.srcPitch = pitch;
  back.dstMemoryType = CU_MEMORYTYPE_HOST, back.dstHost = rows, back.dstPitch = 10;
  back.WidthInBytes = 10, back.Height = 4;
  CHECK(cuMemcpy2DUnaligned(&back));
  for (auto& row : rows) {
    for (int value : row) std::printf("%d", value);
    std::printf(" ");
  }
  CUDA_MEMCPY3D box{};
  box.srcMemoryType = CU_MEMORYTYPE_DEVICE, box.srcDevice = pitched, box.srcPitch = pitch, box.srcHeight = 2;
  box.dstMemoryType = CU_MEMORYTYPE_HOST, box.dstHost = rows, box.dstPitch = 10, box.dstHeight = 3;
  box.WidthInBytes = 4, box.Height = 1, box.Depth = 2, box.srcXInBytes = 3, box.srcY = 1;
  CHECK(cuMemcpy3D(&box));
  std::printf("\n%d%d%d%d %d%d%d%d\n", rows[0][0], rows[0][1], rows[0][2], rows[0][3], rows[3][0], rows[3][1],
              rows[3][2], rows[3][3]);

  void* pinned = nullptr;
  CUdeviceptr managed, mapped;
  CHECK(cuMemHostAlloc(&pinned, 4096, CU_MEMHOSTALLOC_DEVICEMAP));
  CHECK(cuMemHostGetDevicePointer(&mapped, pinned, 0));
  CHECK(cuMemAllocManaged(&managed, 4096, CU_MEM_ATTACH_GLOBAL));
  CHECK(cuMemsetD32(managed, 42, 1024));
  CHECK(cuCtxSynchronize());
  std::printf("%d %d\n", ((int*)managed)[1023], mapped == (CUdeviceptr)pinned);
  CHECK(cuMemcpy(mapped, managed, 4096));
  CHECK(cuCtxSynchronize());
  std::printf("%d\n", ((int*)pinned)[7]);

  CUmemorytype type;
  int is_managed = -1, ordinal = -1;
  unsigned type_of_unknown = 77;
  CUcontext of = nullptr;
  for (CUdeviceptr pointer : {d, (CUdeviceptr)pinned, managed}) {
    CHECK(cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, pointer));
    CHECK(cuPointerGetAttribute(&is_managed, CU_POINTER_ATTRIBUTE_IS_MANAGED, pointer));
    CHECK(cuPointerGetAttribute(&ordinal, CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, pointer));
    std::printf("%d %d %d, ", type, is_managed, ordinal);
  }
  CHECK(cuPointerGetAttribute(&of, CU_POINTER_ATTRIBUTE_CONTEXT, d));
  CHECK(cuPointerGetAttribute(&base, CU_POINTER_ATTRIBUTE_RANGE_START_ADDR, d + 9));
  CHECK(cuPointerGetAttribute(&size, CU_POINTER_ATTRIBUTE_RANGE_SIZE, d + 9));
  std::printf("%d %d %zu\n", of == context, base == d, size);
  CUpointer_attribute wanted[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_CONTEXT};
  void* answers[] = {&type_of_unknown, &of};
  CHECK(cuPointerGetAttributes(2, wanted, answers, (CUdeviceptr)host));
  std::printf("%u %d %d\n", type_of_unknown, of == nullptr,
              cuPointerGetAttribute(&type, CU_POINTER_ATTRIBUTE_MEMORY_TYPE, (CUdeviceptr)host));

  CHECK(cuMemGetInfo(&available, &total));
  std::printf("%d %d\n", available > 0 && available < total, cuMemAlloc(&base, (size_t)1 << 50));
  CUdeviceptr in_order;
  CHECK(cuMemAllocAsync(&in_order, 256, nullptr));
  CHECK(cuMemsetD8Async(in_order, 5, 256, nullptr));
  CHECK(cuMemFreeAsync(in_order, nullptr));
  CHECK(cuCtxSynchronize());
  CHECK(cuMemFree(d));
  CHECK(cuMemFree(pitched));
  CHECK(cuMemFree(managed));
  CHECK(cuMemFreeHost(pinned));
  CHECK(cuDevicePrimaryCtxRelease(device));
  run_texture();
}
