# The fuzz targets, driven by tests/fuzz/driver.cpp with damaged copies of a folder's files for four seconds each (.ci/run: half a
# minute). With clang and -DCUDALAB_FUZZ=ON libFuzzer drives those of parser and launcher (src/ptx/layer.cmake,
# src/vgpu/layer.cmake).
function(cudalab_fuzz name target corpus)
  add_executable(${name}_fuzz_run "${CMAKE_SOURCE_DIR}/tests/fuzz/driver.cpp" "${CMAKE_SOURCE_DIR}/${target}")
  target_link_libraries(${name}_fuzz_run PRIVATE ${ARGN})
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz_run "${CMAKE_SOURCE_DIR}/${corpus}" 4)
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
endfunction()

if(CUDALAB_BUILD_TESTS)
  cudalab_fuzz(parser src/ptx/parser_fuzz.cpp tests/fuzz/corpus cudalab_ptx)
  cudalab_fuzz(launch src/vgpu/launch_fuzz.cpp tests/fuzz/corpus cudalab_vgpu)
  cudalab_fuzz(source src/compile/sources/source_fuzz.cpp tests/kernels cudalab_compile)
  cudalab_fuzz(exercise src/course/exercise_fuzz.cpp tests/fuzz/exercises cudalab_course)
  cudalab_fuzz(document src/grading/document_fuzz.cpp expected cudalab_grading)
  cudalab_fuzz(request src/serve/http/request_fuzz.cpp tests/fuzz/requests cudalab_serve)
  if(CUDALAB_ZSTD_INCLUDE_DIR AND CUDALAB_LZ4_INCLUDE_DIR)
    # The runtime is not built with sanitizers; what reads a program's bytes is, here.
    cudalab_fuzz(fat_binary src/runtime/modules/fat_binary_fuzz.cpp tests/fuzz/fat_binaries cudalab_vgpu zstd lz4)
    target_sources(fat_binary_fuzz_run PRIVATE "${CMAKE_SOURCE_DIR}/src/runtime/modules/fat_binary.cpp")
  endif()
endif()
