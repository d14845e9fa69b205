# CPU versions, reference results and comparisons use all cores.
target_link_libraries(cudalab_lab PRIVATE OpenMP::OpenMP_CXX)
# Where a build finds its labs when none are installed beside the program.
set_source_files_properties("${directory}/locate.cpp" PROPERTIES COMPILE_DEFINITIONS
                            CUDALAB_BUILT_FROM="${CMAKE_SOURCE_DIR}")
