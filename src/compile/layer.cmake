target_include_directories(cudalab_compile SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
target_link_libraries(cudalab_compile PUBLIC ${CMAKE_DL_LIBS})
