target_include_directories(cudalab_device SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
