include(GNUInstallDirs)
target_include_directories(cudalab_device SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
target_compile_definitions(cudalab_device PRIVATE CUDALAB_LIBRARY_DIRECTORY="${CMAKE_INSTALL_LIBDIR}")
