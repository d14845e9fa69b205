# The fuzzer of the parser: clang only, built on request. Try:
#   cmake -B build/fuzz -DCMAKE_CXX_COMPILER=clang++ -DCUDALAB_FUZZ=ON
#   cmake --build build/fuzz --target ptx_fuzz
#   build/fuzz/ptx_fuzz -max_total_time=60 CORPUS_DIRECTORY
option(CUDALAB_FUZZ "Build the fuzzer of the PTX parser (needs clang)" OFF)
if(CUDALAB_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID MATCHES "Clang")
    message(FATAL_ERROR "CUDALAB_FUZZ needs clang: configure with -DCMAKE_CXX_COMPILER=clang++")
  endif()
  # Compiled once more, so that the fuzzer sees which branches an input takes.
  add_executable(ptx_fuzz "${directory}/parser_fuzz.cpp" ${sources})
  target_link_libraries(ptx_fuzz PRIVATE cudalab_options cudalab_core)
  target_compile_options(ptx_fuzz PRIVATE -g -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=all)
  target_link_options(ptx_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
