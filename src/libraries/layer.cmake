# Each folder becomes a shared library beside libcudart: blas/ becomes libcublas, fft/ becomes libcufft, and so on. The library
# has the name of NVIDIA's library and exports the same names. Names without a definition here are generated from names.txt; they
# report their call.
if(NOT TARGET cudalab_runtime_library)
  set_target_properties(cudalab_libraries PROPERTIES EXCLUDE_FROM_ALL ON)
  set(tests "")
  return()
endif()

target_include_directories(cudalab_libraries SYSTEM PUBLIC "${CUDALAB_CUDA_HEADERS}")
target_compile_options(cudalab_libraries PRIVATE $<$<CONFIG:Release>:-O2>)
set_target_properties(cudalab_libraries PROPERTIES UNITY_BUILD_MODE GROUP)

# cudalab_library(FOLDER NAME VERSION STATUS): links the objects of FOLDER into libNAME.so.VERSION. STATUS is the return value
# of functions that the library has by name only.
function(cudalab_library folder name version status)
  set(own "${directory}/${folder}")
  set(members ${own_sources})
  list(FILTER members INCLUDE REGEX "/libraries/${folder}/")
  set_property(SOURCE ${members} PROPERTY UNITY_GROUP ${folder})
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${own}/names.txt")
  file(STRINGS "${own}/names.txt" names)
  set(missing "// Made from names.txt: what no other source defines.\n#include \"libraries/missing.h\"\n")
  foreach(each ${names})
    string(APPEND missing "CUDALAB_LIBRARY_MISSING(${each}, ${status})\n")
  endforeach()
  set(missing_source "${CMAKE_CURRENT_BINARY_DIR}/generated/libraries/${name}_missing.cpp")
  file(CONFIGURE OUTPUT "${missing_source}" CONTENT "${missing}")
  set(map "${CMAKE_CURRENT_BINARY_DIR}/generated/libraries/${name}.map")
  file(CONFIGURE OUTPUT "${map}" CONTENT "lib${name}.so.${version} {\n  global: ${name}*;\n  local: *;\n};\n")
  set(target cudalab_${name})
  set(objects $<TARGET_OBJECTS:cudalab_libraries>)
  add_library(${target} SHARED "${missing_source}" "$<FILTER:${objects},INCLUDE,(unity_${folder}_|/libraries/${folder}/)>"
                               ${ARGN})
  target_include_directories(${target} SYSTEM PRIVATE "${CUDALAB_CUDA_HEADERS}")
  target_link_libraries(${target} PRIVATE cudalab_options cudalab_runtime_library)
  target_link_options(${target} PRIVATE "LINKER:--version-script=${map},--as-needed")
  set_target_properties(${target} PROPERTIES
    PREFIX "" OUTPUT_NAME "lib${name}" SUFFIX ".so.${version}" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/runtime"
    LINK_DEPENDS "${map}" BUILD_RPATH_USE_ORIGIN ON BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  install(TARGETS ${target} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/cudalab")
  set_property(GLOBAL APPEND PROPERTY cudalab_program_libraries ${target})
endfunction()

# Compiles the matrix multiplication once per instruction-set level. Eigen's namespace gets the level's name, because the
# linker would otherwise use one level's instance of a template for all levels.
set(options_of_blas_generic "")
set(options_of_blas_x86_64_v3 -march=x86-64-v3)
set(options_of_blas_x86_64_v4 -march=x86-64-v4 -mprefer-vector-width=512)
set(blas_levels generic)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64" AND NOT CUDALAB_LEVELS STREQUAL "generic")
  list(APPEND blas_levels x86_64_v3 x86_64_v4)
endif()
set(level_rows "")
set(blas_objects "")
foreach(level ${blas_levels})
  add_library(cudalab_blas_${level} OBJECT "${directory}/blas/multiply.level.cpp")
  target_link_libraries(cudalab_blas_${level} PRIVATE cudalab_options)
  target_include_directories(cudalab_blas_${level} SYSTEM PRIVATE "${CUDALAB_EIGEN_INCLUDE_DIR}")
  target_compile_definitions(cudalab_blas_${level} PRIVATE CUDALAB_LEVEL=${level})
  target_compile_options(cudalab_blas_${level} PRIVATE ${options_of_blas_${level}} $<$<CONFIG:Release>:-O2>
                         -Wno-maybe-uninitialized)  # false alarms in GCC's own headers for AVX-512
  cudalab_shareable(cudalab_blas_${level})
  list(APPEND blas_objects $<TARGET_OBJECTS:cudalab_blas_${level}>)
  string(PREPEND level_rows "CUDALAB_BLAS_LEVEL(${level})\n")
endforeach()
file(CONFIGURE OUTPUT "${CMAKE_CURRENT_BINARY_DIR}/generated/include/libraries/blas_levels.inc" CONTENT "${level_rows}")
target_include_directories(cudalab_libraries PRIVATE "${CMAKE_CURRENT_BINARY_DIR}/generated/include")
target_sources(cudalab_libraries PRIVATE ${blas_objects})

# Complex products need no check for infinities: an FFT of infinities is not a number either way.
set_source_files_properties("${directory}/fft/lines.cpp" PROPERTIES
  COMPILE_OPTIONS "$<$<CXX_COMPILER_ID:GNU>:-fcx-limited-range>" SKIP_UNITY_BUILD_INCLUSION ON SKIP_PRECOMPILE_HEADERS ON)
target_include_directories(cudalab_libraries SYSTEM PRIVATE "${CUDALAB_EIGEN_INCLUDE_DIR}")

cudalab_library(blas cublas 13 15 ${blas_objects})  # CUBLAS_STATUS_NOT_SUPPORTED
cudalab_library(rand curand 10 999)                 # CURAND_STATUS_INTERNAL_ERROR
cudalab_library(fft cufft 12 14)                    # CUFFT_NOT_IMPLEMENTED
cudalab_library(sparse cusparse 12 10)              # CUSPARSE_STATUS_NOT_SUPPORTED
