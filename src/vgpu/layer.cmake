# The lane loops are compiled once for each instruction-set level; the program chooses at start.
# Strict aliasing is off there: a register's lanes are read as whatever type the instruction names.
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(levels generic x86-64-v3 x86-64-v4)
else()
  set(levels generic)
endif()
file(GLOB level_sources CONFIGURE_DEPENDS "${directory}/opcodes/*.level.cpp")
foreach(level ${levels})
  string(REPLACE "-" "_" level_name ${level})
  add_library(cudalab_opcodes_${level_name} OBJECT ${level_sources})
  target_link_libraries(cudalab_opcodes_${level_name} PRIVATE cudalab_options cudalab_ptx)
  target_compile_options(cudalab_opcodes_${level_name} PRIVATE
    -fno-strict-aliasing -fopenmp-simd -fno-math-errno -fno-trapping-math -fwrapv)
  target_compile_definitions(cudalab_opcodes_${level_name} PRIVATE CUDALAB_LEVEL=${level_name})
  if(NOT level STREQUAL "generic")
    target_compile_options(cudalab_opcodes_${level_name} PRIVATE -march=${level})
  endif()
  if(level STREQUAL "x86-64-v4")
    target_compile_options(cudalab_opcodes_${level_name} PRIVATE -mprefer-vector-width=512)
  endif()
  target_sources(cudalab_vgpu PRIVATE $<TARGET_OBJECTS:cudalab_opcodes_${level_name}>)
  target_compile_definitions(cudalab_vgpu PRIVATE CUDALAB_HAS_LEVEL_${level_name})
endforeach()

# The fuzzer of decoder and launcher (the option is in src/ptx/layer.cmake): everything from the parser up, compiled
# once more, so that the fuzzer sees which branches an input takes.
if(CUDALAB_FUZZ)
  file(GLOB fuzzed_ptx CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/ptx/*.cpp")
  list(FILTER fuzzed_ptx EXCLUDE REGEX "(_test|_fuzz)\\.cpp$")
  add_executable(launch_fuzz "${directory}/launch_fuzz.cpp" ${sources} ${level_sources} ${fuzzed_ptx})
  target_link_libraries(launch_fuzz PRIVATE cudalab_options cudalab_core)
  target_compile_definitions(launch_fuzz PRIVATE CUDALAB_LEVEL=generic CUDALAB_HAS_LEVEL_generic)
  target_compile_options(launch_fuzz PRIVATE -g -fno-strict-aliasing -fwrapv -fsanitize=fuzzer,address,undefined
                                             -fno-sanitize=float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all)
  target_link_options(launch_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
endif()
