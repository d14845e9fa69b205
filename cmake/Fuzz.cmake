# The fuzz targets of parser and launcher, driven by tests/fuzz/driver.cpp for ten seconds each (.ci/run: a minute). With clang and
# -DCUDALAB_FUZZ=ON libFuzzer drives them instead (src/ptx/layer.cmake, src/vgpu/layer.cmake).
function(cudalab_fuzz name target library)
  add_executable(${name}_fuzz_run "${CMAKE_SOURCE_DIR}/tests/fuzz/driver.cpp" "${CMAKE_SOURCE_DIR}/${target}")
  target_link_libraries(${name}_fuzz_run PRIVATE ${library})
  add_test(NAME fuzz.${name} COMMAND ${name}_fuzz_run "${CMAKE_SOURCE_DIR}/tests/fuzz/corpus" 10)
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120)
endfunction()

if(CUDALAB_BUILD_TESTS)
  cudalab_fuzz(parser src/ptx/parser_fuzz.cpp cudalab_ptx)
  cudalab_fuzz(launch src/vgpu/launch_fuzz.cpp cudalab_vgpu)
endif()
