# What is inlined into the loops of accesses and checks depends on their neighbours: compiled together, the checks took
# 1.6 times as long. So these are compiled alone, and all others as one.
set(looped access barriers block_runner control lane_access paths warp_wide
           footprint memory written_bits texture banks coalescing earlier_lanes lane_units counting patterns atomics
           access_trace touched_lanes cache_replay
           block_races grid_races line_marks observer shadow suspicion undefined_flow undefined_values uninitialised block_clock)
string(REPLACE ";" "|" looped "${looped}")
set(united ${own_sources})
list(FILTER united EXCLUDE REGEX "/(${looped}|opcodes/[a-z_]+)\\.cpp$")
set_property(SOURCE ${united} PROPERTY UNITY_GROUP others)
set_target_properties(cudalab_vgpu PROPERTIES UNITY_BUILD ${CUDALAB_UNITY} UNITY_BUILD_MODE GROUP)
cudalab_precompile("vgpu/precompiled.h" cudalab_vgpu)

# The lane loops are compiled once for each instruction-set level; the program chooses at start. What programs seldom
# execute is compiled once for all levels. Strict aliasing is off there: a register's lanes are read as whatever type
# the instruction names.
set(loop_options -fno-strict-aliasing -fopenmp-simd -fno-math-errno -fno-trapping-math -fwrapv)
function(cudalab_opcodes name)
  cmake_parse_arguments(ARG "" "" "SOURCES;OPTIONS" ${ARGN})
  add_library(cudalab_opcodes_${name} OBJECT ${ARG_SOURCES})
  target_link_libraries(cudalab_opcodes_${name} PRIVATE cudalab_options cudalab_ptx)
  target_compile_options(cudalab_opcodes_${name} PRIVATE ${loop_options} ${ARG_OPTIONS})
  target_compile_definitions(cudalab_opcodes_${name} PRIVATE CUDALAB_LEVEL=${name})
  cudalab_shareable(cudalab_opcodes_${name})
  set_target_properties(cudalab_opcodes_${name} PROPERTIES UNITY_BUILD ${CUDALAB_UNITY}
                                                              UNITY_BUILD_MODE GROUP)
  target_sources(cudalab_vgpu PRIVATE $<TARGET_OBJECTS:cudalab_opcodes_${name}>)
endfunction()

file(GLOB level_sources CONFIGURE_DEPENDS "${directory}/opcodes/*.level.cpp")
# Unity builds put those together that share headers and no names.
set(words all bits integer logic warp)
list(TRANSFORM words REPLACE "(.+)" "${directory}/opcodes/\\1.level.cpp")
set_property(SOURCE ${words} PROPERTY UNITY_GROUP words)
file(GLOB rare_sources CONFIGURE_DEPENDS "${directory}/opcodes/rare/*.cpp")
cudalab_opcodes(rare SOURCES ${rare_sources} OPTIONS $<$<CONFIG:Release>:-O1>)
cudalab_unity(cudalab_opcodes_rare)
set_target_properties(cudalab_opcodes_rare PROPERTIES UNITY_BUILD_MODE BATCH)

# Best first; the program takes the first that its machine has. The level `generic` serves machines without AVX2: -O1,
# which keeps its vector code (omp simd).
set(options_of_generic $<$<CONFIG:Release>:-O1>)
set(options_of_x86_64_v3 -march=x86-64-v3)
set(options_of_x86_64_v4 -march=x86-64-v4 -mprefer-vector-width=512)
set(levels generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CUDALAB_LEVELS STREQUAL "generic")
  list(PREPEND levels x86_64_v4 x86_64_v3)
endif()
if(CUDALAB_LEVELS STREQUAL "own")
  try_run(host_has_levels is_compiled "${CMAKE_CURRENT_BINARY_DIR}/own_level" "${CMAKE_SOURCE_DIR}/cmake/own_level.cpp"
          CMAKE_FLAGS "-DINCLUDE_DIRECTORIES=${CMAKE_SOURCE_DIR}/src" RUN_OUTPUT_VARIABLE own_level)
  if(own_level IN_LIST levels)
    set(levels ${own_level})
  endif()
endif()
set(level_rows "")
foreach(level ${levels})
  cudalab_opcodes(${level} SOURCES ${level_sources} OPTIONS ${options_of_${level}})
  cudalab_precompile("vgpu/opcodes/lanes.h" cudalab_opcodes_${level})
  string(REPLACE "_" "-" shown ${level})
  string(APPEND level_rows "CUDALAB_LEVEL_ROW(${level}, \"${shown}\")\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generated/include/vgpu/levels.inc" CONTENT "${level_rows}")
set(generated_headers "${CMAKE_CURRENT_BINARY_DIR}/generated/include")
target_include_directories(cudalab_vgpu PRIVATE "${generated_headers}")

# The fuzzer of decoder and launcher (the option is in src/ptx/layer.cmake): everything from the parser up, compiled
# once more, so that the fuzzer sees which branches an input takes.
if(CUDALAB_FUZZ)
  file(GLOB fuzzed_ptx CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/ptx/*.cpp")
  list(FILTER fuzzed_ptx EXCLUDE REGEX "(_test|_fuzz)\\.cpp$")
  add_executable(launch_fuzz "${directory}/launch_fuzz.cpp" ${sources} ${level_sources} ${fuzzed_ptx}
                             $<TARGET_OBJECTS:cudalab_opcodes_rare>)
  target_link_libraries(launch_fuzz PRIVATE cudalab_options cudalab_core)
  target_include_directories(launch_fuzz PRIVATE "${generated_headers}")
  target_compile_definitions(launch_fuzz PRIVATE CUDALAB_LEVEL=generic)
  target_compile_options(launch_fuzz PRIVATE -g -fno-strict-aliasing -fwrapv -fsanitize=fuzzer,address,undefined
                                             -fno-sanitize=float-cast-overflow,float-divide-by-zero -fno-sanitize-recover=all)
  target_link_options(launch_fuzz PRIVATE -fsanitize=fuzzer,address,undefined)
endif()

# The cards, each a file of data, become a table; the H200 is the one that is used unless another is named.
file(GLOB card_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/cards/*.json")
list(REMOVE_ITEM card_files "${CMAKE_SOURCE_DIR}/cards/h200.json")
list(PREPEND card_files "${CMAKE_SOURCE_DIR}/cards/h200.json")
list(JOIN card_files "," card_list)
set(card_table "${CMAKE_CURRENT_BINARY_DIR}/generated/include/vgpu/cards.inc")
add_custom_command(OUTPUT "${card_table}"
  COMMAND "${CMAKE_COMMAND}" "-DCARDS=${card_list}" "-DOUTPUT=${card_table}" -P "${CMAKE_SOURCE_DIR}/cmake/Cards.cmake"
  DEPENDS ${card_files} "${CMAKE_SOURCE_DIR}/cmake/Cards.cmake" COMMENT "" VERBATIM)
target_sources(cudalab_vgpu PRIVATE "${card_table}")
set_source_files_properties("${directory}/card.cpp" PROPERTIES OBJECT_DEPENDS "${card_table}")
