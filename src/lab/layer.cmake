# CPU versions, reference results and comparisons use all cores.
target_link_libraries(cudalab_lab PRIVATE cudalab_openmp)
# Where a build finds its labs when none are installed beside the program.
target_compile_definitions(cudalab_lab PRIVATE CUDALAB_BUILT_FROM="${CMAKE_SOURCE_DIR}")
