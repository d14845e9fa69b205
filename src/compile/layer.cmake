# Where a build finds our headers for clang when none are installed beside the program.
target_compile_definitions(cudalab_compile PRIVATE CUDALAB_BUILT_FROM="${CMAKE_SOURCE_DIR}")
target_link_libraries(cudalab_compile PUBLIC ${CMAKE_DL_LIBS})
# What kernels expect of the host's headers.
cudalab_embed("${directory}/sources/stand_ins.cuh")
