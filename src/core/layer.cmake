include("${CMAKE_SOURCE_DIR}/cmake/Messages.cmake")
target_include_directories(cudalab_core SYSTEM PRIVATE "${CUDALAB_XXHASH_INCLUDE_DIR}")
cudalab_embed_rows("${directory}/programs/cuda_errors.txt")
cudalab_embed_rows("${directory}/programs/cuda_driver_errors.txt")
