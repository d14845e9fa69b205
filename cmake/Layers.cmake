# One static library a layer of src/, and one test program beside it; every *_test.cpp is a test.
if(CUDALAB_BUILD_TESTS)
  enable_testing()
  include(GoogleTest)
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
if(CUDALAB_SANITIZE)
  # GCC warns falsely of uninitialised values in code that its sanitizers instrument (std::regex, GCC 12 and 13).
  target_compile_options(cudalab_options INTERFACE -fsanitize=address,undefined -fno-sanitize-recover=all
                                                   -fno-omit-frame-pointer -Wno-maybe-uninitialized)
  target_link_options(cudalab_options INTERFACE -fsanitize=address,undefined)
endif()
target_include_directories(cudalab_options INTERFACE "${CMAKE_SOURCE_DIR}/src")
target_link_libraries(cudalab_options INTERFACE fmt::fmt Threads::Threads)

# With CUDALAB_UNITY (the release preset) sources are compiled together, half of a target's at a time so that two cores
# have work, and at most ten: most of a small source's time goes to the headers that all of them include.
function(cudalab_unity target)
  get_target_property(sources ${target} SOURCES)
  list(LENGTH sources count)
  math(EXPR batch "(${count} + 1) / 2")
  if(batch GREATER 10)
    set(batch 10)
  endif()
  set_target_properties(${target} PROPERTIES UNITY_BUILD ${CUDALAB_UNITY} UNITY_BUILD_BATCH_SIZE ${batch})
endfunction()

function(cudalab_test name)
  if(NOT CUDALAB_BUILD_TESTS)
    return()
  endif()
  cmake_parse_arguments(ARG "" "" "SOURCES;LIBRARIES" ${ARGN})
  add_executable(${name} ${ARG_SOURCES})
  target_link_libraries(${name} PRIVATE ${ARG_LIBRARIES} GTest::gtest_main GTest::gmock)
  target_compile_definitions(${name} PRIVATE CUDALAB_SOURCE_DIR="${CMAKE_SOURCE_DIR}")
  target_compile_options(${name} PRIVATE $<$<CONFIG:Release>:-O1>)  # a clean build waits for the tests to compile
  gtest_discover_tests(${name} DISCOVERY_MODE PRE_TEST DISCOVERY_TIMEOUT 60)
endfunction()

# Their loops run for every instruction, or for every element of an array; what the others do takes no time, and -O1
# compiles it in two thirds of the time.
set(hot_layers core vgpu lab)

# cudalab_layer(NAME [BELOW]): src/NAME/**.cpp, linked to the layer below (which brings everything under it).
# A file src/NAME/layer.cmake, where it exists, adds what that layer alone needs.
function(cudalab_layer layer)
  set(directory "${CMAKE_SOURCE_DIR}/src/${layer}")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${directory}/*.cpp")
  set(tests ${sources})
  list(FILTER tests INCLUDE REGEX "_test\\.cpp$")
  list(FILTER sources EXCLUDE REGEX "(_test|/main|_fuzz|_bench|\\.level)\\.cpp$|/opcodes/rare/")
  if(sources)
    add_library(cudalab_${layer} STATIC ${sources})
    if(NOT layer MATCHES "^(grading|cli)$")  # there, sources give one name to different things
      cudalab_unity(cudalab_${layer})
    endif()
    if(NOT layer IN_LIST hot_layers)
      target_compile_options(cudalab_${layer} PRIVATE $<$<CONFIG:Release>:-O1>)
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
  if(tests)
    cudalab_test(${layer}_tests SOURCES ${tests} LIBRARIES cudalab_${layer})
  endif()
endfunction()
