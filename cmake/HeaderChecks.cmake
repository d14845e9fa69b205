# Two targets check each file of src/ alone, with an include path that is a folder with links to the file's layer and the
# layers below. Compiled together, a file would find what another one includes or keeps to itself. `header_checks` compiles
# each file, which takes some ten minutes; `layer_checks` only preprocesses it, which takes a minute and tells whether a
# layer includes one above it. A header is tried by the source of its name, which includes it first, or else by a source
# that includes only that header. Nothing is precompiled here, and no code is generated.
get_property(layers GLOBAL PROPERTY layers)
file(GLOB folders CONFIGURE_DEPENDS RELATIVE "${CMAKE_SOURCE_DIR}/src" "${CMAKE_SOURCE_DIR}/src/*")
list(REMOVE_ITEM folders ${layers})
if(folders)
  message(FATAL_ERROR "src/ holds layers only, and CMakeLists.txt declares no layer ${folders}")
endif()

# The folder with links to the layers that this layer may include.
function(cudalab_visible_headers out layer)
  set(folder "${CMAKE_BINARY_DIR}/generated/visible/${layer}")
  get_property(visible GLOBAL PROPERTY visible_to_${layer})
  file(REMOVE_RECURSE "${folder}")
  file(MAKE_DIRECTORY "${folder}")
  foreach(below ${visible})
    file(CREATE_LINK "${CMAKE_SOURCE_DIR}/src/${below}" "${folder}/${below}" SYMBOLIC)
  endforeach()
  set(${out} "${folder}" PARENT_SCOPE)
endfunction()

# The layer's sources, and one for each header without a source of its name.
function(cudalab_header_sources out layer)
  file(GLOB_RECURSE headers CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${layer}/*.h")
  file(GLOB_RECURSE sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/src/${layer}/*.cpp")
  list(FILTER sources EXCLUDE REGEX "(_test|_testing|_bench|_fuzz|\\.level)\\.cpp$")
  foreach(header ${headers})
    string(REGEX REPLACE "\\.h$" ".cpp" source "${header}")
    if(NOT source IN_LIST sources)
      cmake_path(RELATIVE_PATH header BASE_DIRECTORY "${CMAKE_SOURCE_DIR}/src")
      string(REPLACE "/" "_" name "${header}")
      set(lone "${CMAKE_BINARY_DIR}/generated/headers/${name}.cpp")
      file(CONFIGURE OUTPUT "${lone}" CONTENT "#include \"${header}\"\n")
      list(APPEND sources "${lone}")
    endif()
  endforeach()
  set(${out} ${sources} PARENT_SCOPE)
endfunction()

# cudalab_checks(KIND LAYER VISIBLE OPTION SOURCE…): KIND_checks calls the compiler with OPTION for each source, which finds
# the headers in the folder VISIBLE.
function(cudalab_checks kind layer visible option)
  set(checks ${kind}_checks_${layer})
  add_library(${checks} OBJECT EXCLUDE_FROM_ALL ${ARGN})
  set_target_properties(${checks} PROPERTIES CXX_COMPILER_LAUNCHER "${CMAKE_SOURCE_DIR}/cmake/check_only.sh;${option}")
  target_compile_features(${checks} PRIVATE cxx_std_20)
  target_link_libraries(${checks} PRIVATE fmt::fmt Threads::Threads cudalab_openmp nlohmann_json::nlohmann_json
                                          CLI11::CLI11 GTest::gtest GTest::gmock)
  target_include_directories(${checks} PRIVATE "${visible}" "${CMAKE_BINARY_DIR}/generated"
                                               "${CMAKE_CURRENT_BINARY_DIR}/generated/include")
  target_include_directories(${checks} SYSTEM PRIVATE "${CUDALAB_CUDA_HEADERS}" "${CUDALAB_XXHASH_INCLUDE_DIR}"
                                                      "${CUDALAB_EIGEN_INCLUDE_DIR}")
  target_compile_definitions(${checks} PRIVATE CUDALAB_LEVEL=generic
                                               $<TARGET_PROPERTY:cudalab_${layer},COMPILE_DEFINITIONS>)
  target_compile_options(${checks} PRIVATE $<TARGET_PROPERTY:cudalab_options,INTERFACE_COMPILE_OPTIONS> -O0 -fopenmp-simd)
  add_dependencies(${checks} cudalab_core cudalab_vgpu)  # which generate headers
  add_dependencies(${kind}_checks ${checks})
endfunction()

if(CUDALAB_HEADER_CHECKS)
  set(in_all ALL)
endif()
add_custom_target(header_checks ${in_all})
add_custom_target(layer_checks)
foreach(layer ${layers})
  cudalab_visible_headers(visible ${layer})
  cudalab_header_sources(sources ${layer})
  cudalab_checks(header ${layer} "${visible}" -fsyntax-only ${sources})
  cudalab_checks(layer ${layer} "${visible}" -E ${sources})
endforeach()
