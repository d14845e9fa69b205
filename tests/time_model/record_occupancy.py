#!/usr/bin/env python3
"""Asks the driver for its GPU's attributes and clock rates, and for the number of resident blocks per SM: one line of JSON each."""
import ctypes
import json
import subprocess

cuda = ctypes.CDLL("libcuda.so.1")

# CUdevice_attribute of cuda.h.
ATTRIBUTES = {
    "multiprocessors": 16, "clock_khz": 13, "memory_clock_khz": 36, "memory_bus_bits": 37, "l2_bytes": 38,
    "threads_per_multiprocessor": 39, "shared_per_multiprocessor": 81, "registers_per_multiprocessor": 82,
    "blocks_per_multiprocessor": 106, "shared_reserved_per_block": 111, "shared_per_block_optin": 97,
    "registers_per_block": 12,
}

# LIVE values are live across a barrier, so the kernel needs that many registers and a few more.
KERNEL = """.version 7.8
.target sm_90
.address_size 64
.visible .entry live(.param .u64 p)
.maxntid 1024, 1, 1
{{
.reg .b64 %rd<2>;
.reg .f32 %f<{count}>;
.shared .align 4 .b8 s[{shared}];
ld.param.u64 %rd1, [p];
{loads}
bar.sync 0;
{stores}
ret;
}}
"""


def checked(result, what):
    if result:
        raise SystemExit(f"{what}: error {result}")


def source(live, shared):
    loads = "\n".join(f"ld.volatile.global.f32 %f{i}, [%rd1+{4 * i}];" for i in range(live))
    stores = "\n".join(f"st.volatile.global.f32 [%rd1+{4 * i}], %f{i};" for i in range(live))
    text = KERNEL.format(count=live + 1, shared=max(shared, 4), loads=loads, stores=stores)
    return text if live <= 55 else text.replace(".maxntid 1024, 1, 1\n", "")


def main():
    checked(cuda.cuInit(0), "cuInit")
    device, context = ctypes.c_int(), ctypes.c_void_p()
    checked(cuda.cuDeviceGet(ctypes.byref(device), 0), "cuDeviceGet")
    checked(cuda.cuDevicePrimaryCtxRetain(ctypes.byref(context), device), "cuDevicePrimaryCtxRetain")
    checked(cuda.cuCtxSetCurrent(context), "cuCtxSetCurrent")
    name = ctypes.create_string_buffer(100)
    cuda.cuDeviceGetName(name, 100, device)
    card = {"card": name.value.decode()}
    for attribute, number in ATTRIBUTES.items():
        value = ctypes.c_int()
        checked(cuda.cuDeviceGetAttribute(ctypes.byref(value), number, device), attribute)
        card[attribute] = value.value
    clocks = subprocess.run(["nvidia-smi", "--query-gpu=clocks.max.sm,clocks.max.mem,clocks.sm,clocks.mem", "--format=csv,noheader"],
                            capture_output=True, text=True)
    card["clocks_max_sm_max_mem_sm_mem"] = clocks.stdout.strip()
    print(json.dumps(card))
    for live in (1, 8, 16, 20, 24, 28, 32, 40, 48, 55, 64, 80, 96, 120, 160, 200, 240):
        for static in (0, 1000, 5000, 20000, 40000):
            module, function = ctypes.c_void_p(), ctypes.c_void_p()
            checked(cuda.cuModuleLoadData(ctypes.byref(module), source(live, static).encode()), f"module {live} {static}")
            checked(cuda.cuModuleGetFunction(ctypes.byref(function), module, b"live"), "function")
            registers, shared = ctypes.c_int(), ctypes.c_int()
            cuda.cuFuncGetAttribute(ctypes.byref(registers), 4, function)
            cuda.cuFuncGetAttribute(ctypes.byref(shared), 1, function)
            cuda.cuFuncSetAttribute(function, 8, 180000)
            for dynamic in (0, 3000, 30000, 100000, 180000):
                for threads in (32, 48, 96, 128, 160, 256, 352, 512, 768, 1024):
                    if (live * 7 + static + dynamic // 1000 + threads) % 3:
                        continue
                    blocks = ctypes.c_int()
                    result = cuda.cuOccupancyMaxActiveBlocksPerMultiprocessor(
                        ctypes.byref(blocks), function, threads, ctypes.c_size_t(dynamic))
                    if result == 0:
                        print(json.dumps({"registers": registers.value, "static_shared": shared.value, "dynamic_shared": dynamic,
                                          "threads": threads, "blocks": blocks.value}))
            cuda.cuModuleUnload(module)


if __name__ == "__main__":
    main()
