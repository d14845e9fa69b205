target_include_directories(cudalab_device SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
target_link_libraries(cudalab_device PUBLIC ${CMAKE_DL_LIBS})
