# One static library a layer of src/, and one test program beside it; every *_test.cpp is a test.
if(CUDALAB_BUILD_TESTS)
  enable_testing()
  include(GoogleTest)
endif()

if(CMAKE_CXX_COMPILER_LAUNCHER MATCHES "ccache$")  # it keeps what uses precompiled headers with these only
  set(CMAKE_CXX_COMPILER_LAUNCHER ${CMAKE_COMMAND} -E env CCACHE_SLOPPINESS=pch_defines,time_macros
                                  ${CMAKE_CXX_COMPILER_LAUNCHER})
endif()

add_library(cudalab_options INTERFACE)
target_compile_features(cudalab_options INTERFACE cxx_std_20)
target_compile_options(cudalab_options INTERFACE -Wall -Wextra -Wno-missing-field-initializers -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  # False alarms on operator+ of std::string: GCC bug 105329.
  target_compile_options(cudalab_options INTERFACE -Wno-restrict)
endif()
if(CUDALAB_WERROR)
  target_compile_options(cudalab_options INTERFACE -Werror)
endif()
if(CUDALAB_UNITY AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # Sources compiled as one hold some 500 MB that live until the end: to look for garbage before is an eighth of the time.
  target_compile_options(cudalab_options INTERFACE --param=ggc-min-heapsize=800000)
endif()
if(CUDALAB_SANITIZE)
  # GCC warns falsely of uninitialised values in code that its sanitizers instrument (std::regex, GCC 12 and 13).
  target_compile_options(cudalab_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_link_options(cudalab_options INTERFACE -fsanitize=address,undefined)
endif()
if(CUDALAB_SANITIZE_THREADS)
  # A fence of a kernel orders nothing for the host's threads: ThreadSanitizer does not know fences, GCC says so.
  target_compile_options(cudalab_options INTERFACE -fsanitize=thread -fno-omit-frame-pointer -Wno-tsan)
  target_link_options(cudalab_options INTERFACE -fsanitize=thread)
endif()
target_include_directories(cudalab_options INTERFACE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_BINARY_DIR}/generated")
target_link_libraries(cudalab_options INTERFACE fmt::fmt Threads::Threads)

# With CUDALAB_UNITY (the release preset) a target's sources are compiled as one, or as so many UNITS: most of a small
# source's time goes to headers that all of them include, and to what these instantiate again and again.
function(cudalab_unity target)
  cmake_parse_arguments(ARG "" "UNITS" "" ${ARGN})
  if(NOT ARG_UNITS)
    set(ARG_UNITS 1)
  endif()
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batch "(${count} + ${ARG_UNITS} - 1) / ${ARG_UNITS}")
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CUDALAB_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

# Precompiles HEADERS (third-party and standard ones, or those of a layer) for the targets: the first one owns the result,
# which the others, compiled with the same options, read. `header_checks` compiles without, so that each file still
# includes what it uses.
function(cudalab_precompile headers owner)
  if(NOT CUDALAB_PRECOMPILE)
    return()
  endif()
  list(TRANSFORM headers PREPEND "${CMAKE_SOURCE_DIR}/src/")
  target_precompile_headers(${owner} PRIVATE ${headers})
  foreach(target ${ARGN})
    target_precompile_headers(${target} REUSE_FROM ${owner})
  endforeach()
endfunction()

# The runtime (src/runtime) is a shared library, and holds these layers: their objects serve both it and the program, so
# that nothing is compiled twice. What nobody outside can replace is called and reached as in the program itself.
set(shared_layers core ptx vgpu runtime libraries)
function(cudalab_shareable target)
  set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE ON CXX_VISIBILITY_PRESET hidden
                                             VISIBILITY_INLINES_HIDDEN ON)
  target_compile_options(${target} PRIVATE -fno-semantic-interposition)
endfunction()

# Tests are compiled together, too: gtest's headers take longer than most tests. So no two tests of a program give one name
# to two things. Programs whose tests are many are compiled in units, each of the sources that match one of the regular
# expressions UNITS, and one of all others: several processors share them, and none ends long after the others.
function(cudalab_unite_tests name)
  if(NOT ARGN)
    cudalab_unity(${name})
    return()
  endif()
  get_target_property(others ${name} SOURCES)
  foreach(unit ${ARGN})
    set(members ${others})
    list(FILTER members INCLUDE REGEX "${unit}")
    list(FILTER others EXCLUDE REGEX "${unit}")
    string(MAKE_C_IDENTIFIER "${unit}" group)
    set_property(SOURCE ${members} PROPERTY UNITY_GROUP ${group})
  endforeach()
  set_property(SOURCE ${others} PROPERTY UNITY_GROUP others)
  set_target_properties(${name} PROPERTIES UNITY_BUILD ${CUDALAB_UNITY} UNITY_BUILD_MODE GROUP)
endfunction()

# A clean build waits for the tests to compile, so they are not optimized. UndefinedBehaviorSanitizer doubles the time that
# they take to compile, and is meant for the code under test.
set(test_options $<$<CONFIG:Release>:-O0>)
if(CUDALAB_SANITIZE)
  set(test_options -O0 -fno-sanitize=undefined)
endif()

# The headers that nearly all tests include, precompiled once for all test programs.
function(cudalab_precompile_tests name)
  if(NOT CUDALAB_PRECOMPILE)
    return()
  endif()
  if(NOT TARGET cudalab_test_headers)
    set(source "${CMAKE_BINARY_DIR}/generated/test_headers.cpp")
    file(CONFIGURE OUTPUT "${source}" CONTENT "// Only to precompile headers.\n")
    add_library(cudalab_test_headers OBJECT "${source}")
    target_link_libraries(cudalab_test_headers PRIVATE cudalab_options nlohmann_json::nlohmann_json GTest::gtest_main
                                                       GTest::gmock)
    target_compile_definitions(cudalab_test_headers PRIVATE CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
    target_compile_options(cudalab_test_headers PRIVATE ${test_options})
    cudalab_precompile("core/precompiled_testing.h" cudalab_test_headers)
  endif()
  target_precompile_headers(${name} REUSE_FROM cudalab_test_headers)
endfunction()

function(cudalab_test name)
  if(NOT CUDALAB_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES;UNITS" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  cudalab_unite_tests(${name} ${ARG_UNITS})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE ${test_options})
  cudalab_precompile_tests(${name})
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
endfunction()

set(test_units_of_vgpu "/vgpu/(checks|execute)/" "/vgpu/(builtins|counters|memory|stepping|time)/")

# The loops of these layers run for every instruction, or for every element of an array, but for those of cold rooms: what
# happens once a launch, or where a learner steps through it. What all others do takes little time, and -O1 compiles it
# in two thirds of the time; what happens once a run, -Og in half.
set(hot_layers vgpu lab)
set(cold_rooms vgpu/builtins/ vgpu/card vgpu/child_launches vgpu/counters/shared_merging vgpu/counters/uniformity vgpu/decode/
               vgpu/flow/shared_ vgpu/hand_overs/hand_over_chain vgpu/hand_overs/wait_loops vgpu/launch vgpu/stepping/
               vgpu/time/ vgpu/vgpu lab/any_kernel/ lab/running/)
set(hot_in_cold_rooms vgpu/time/access_trace vgpu/time/cache_replay vgpu/time/touched_lanes)
list(JOIN cold_rooms "|" cold_pattern)
set(cold_pattern "/src/(${cold_pattern})")
list(JOIN hot_in_cold_rooms "|" hot_pattern)
set(hot_pattern "/src/(${hot_pattern})")

# Sets OUT to those of the sources that are cold.
function(cudalab_cold_sources out sources)
  list(FILTER sources INCLUDE REGEX "${cold_pattern}")
  list(FILTER sources EXCLUDE REGEX "${hot_pattern}")
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

set(cold_options $<$<CONFIG:Release>:-O1>)
set(coldest_layers compile report course grading serve cli)
set(coldest_options $<$<CONFIG:Release>:-Og>)

# The sources of a hot layer's cold rooms, compiled as one: objects of the layer's library.
function(cudalab_cold_rooms layer sources)
  if(NOT sources)
    return()
  endif()
  add_library(cudalab_cold_${layer} OBJECT ${sources})
  target_link_libraries(cudalab_cold_${layer} PRIVATE $<TARGET_PROPERTY:cudalab_${layer},LINK_LIBRARIES>)
  target_include_directories(cudalab_cold_${layer} PRIVATE $<TARGET_PROPERTY:cudalab_${layer},INCLUDE_DIRECTORIES>)
  target_compile_options(cudalab_cold_${layer} PRIVATE ${cold_options})
  cudalab_unity(cudalab_cold_${layer})
  if(layer IN_LIST shared_layers)
    cudalab_shareable(cudalab_cold_${layer})
  endif()
  target_sources(cudalab_${layer} PRIVATE $<TARGET_OBJECTS:cudalab_cold_${layer}>)
endfunction()

# Layers whose sources change often are compiled in so many units that one takes a few seconds.
set(units_of_report 5)
set(units_of_course 5)
set(units_of_cli 6)

# Small layers that include the same large headers are compiled as one with the layer below, in its library.
set(joined_to_course grading)

# cudalab_layer(NAME [BELOW]): src/NAME/**.cpp, linked to the layer below (which brings everything under it).
# A file src/NAME/layer.cmake, where it exists, adds what that layer alone needs.
function(cudalab_layer layer)
  # The layers whose headers it may include: itself, and those below.
  set(visible ${layer})
  foreach(below ${ARGN})
    get_property(visible_to_below GLOBAL PROPERTY visible_to_${below})
    list(APPEND visible ${visible_to_below})
  endforeach()
  set_property(GLOBAL PROPERTY visible_to_${layer} ${visible})
  set_property(GLOBAL APPEND PROPERTY layers ${layer})
  set(directory "${CMAKE_SOURCE_DIR}/src/${layer}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${directory}/*.cpp")
  set(tests ${sources})
  if(CUDALAB_UNITY AND joined_to_${layer})
    file(GLOB_RECURSE joined CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${joined_to_${layer}}/*.cpp")
    list(APPEND sources ${joined})
  elseif(CUDALAB_UNITY AND layer STREQUAL joined_to_course)
    set(sources "")
  endif()
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main|_fuzz|_bench|\\.level)\\.cpp$|/opcodes/rare/")
  if(sources)
    set(own_sources ${sources})
    cudalab_cold_sources(cold_sources "${sources}")
    if(cold_sources)
      list(REMOVE_ITEM own_sources ${cold_sources})
    endif()
    add_library(cudalab_${layer} STATIC ${own_sources})
    if(NOT layer STREQUAL "vgpu")  # which says itself what is compiled together
      cudalab_unity(cudalab_${layer} UNITS ${units_of_${layer}})
    endif()
    if(layer IN_LIST shared_layers)
      cudalab_shareable(cudalab_${layer})
    endif()
    cudalab_cold_rooms(${layer} "${cold_sources}")
    if(layer IN_LIST coldest_layers)
      target_compile_options(cudalab_${layer} PRIVATE ${coldest_options})
    elseif(NOT layer IN_LIST hot_layers)
      target_compile_options(cudalab_${layer} PRIVATE ${cold_options})
    endif()
    set(scope PUBLIC)
  else()
    add_library(cudalab_${layer} INTERFACE)
    set(scope INTERFACE)
  endif()
  target_link_libraries(cudalab_${layer} ${scope} cudalab_options)
  foreach(below ${ARGN})
    target_link_libraries(cudalab_${layer} ${scope} cudalab_${below})
  endforeach()
  include("${directory}/layer.cmake" OPTIONAL)
  if(tests AND CUDALAB_BUILD_TESTS)
    cudalab_test(${layer}_tests SOURCES ${tests} LIBRARIES cudalab_${layer} UNITS ${test_units_of_${layer}})
  endif()
endfunction()
