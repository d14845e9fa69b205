target_include_directories(cudalab_core SYSTEM PRIVATE "${CUDALAB_XXHASH_INCLUDE_DIR}")
