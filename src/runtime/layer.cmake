cudalab_embed_prototypes("${directory}/api/per_thread.txt" PER_THREAD)
# The shared library with which programs run. It has the name that programs built by nvcc load, and exports only NVIDIA's
# entry points: all 422 of CUDA 13.0, and those of the driver API and of NVML.
# It is not built with sanitizers, because every program would have to be built with them, too. `cudalab exec` then says so.
find_path(CUDALAB_ZSTD_INCLUDE_DIR zstd.h)
find_path(CUDALAB_LZ4_INCLUDE_DIR lz4.h)
if(CUDALAB_SANITIZE OR NOT CUDALAB_ZSTD_INCLUDE_DIR OR NOT CUDALAB_LZ4_INCLUDE_DIR)
  message(STATUS "Without the runtime for whole programs: it needs libzstd-dev and liblz4-dev, and no sanitizers")
  set_target_properties(cudalab_runtime PROPERTIES EXCLUDE_FROM_ALL ON)
  set(tests "")
  return()
endif()

include(GNUInstallDirs)
# Weak definitions of all names in an API's list. They apply where no other source defines a name, and report the call.
set(missing "// Made from lists of entry points: what no other source defines.\n#include \"runtime/missing.h\"\n")
function(cudalab_missing list macro)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${list}")
  file(STRINGS "${list}" names)
  foreach(name ${names})
    string(APPEND missing "${macro}(${name})\n")
  endforeach()
  set(missing "${missing}" PARENT_SCOPE)
endfunction()
cudalab_missing("${directory}/entry_points.txt" CUDALAB_MISSING)
cudalab_missing("${directory}/driver/entry_points.txt" CUDALAB_MISSING)
cudalab_missing("${directory}/driver/nvml_entry_points.txt" CUDALAB_MISSING_NVML)
set(missing_source "${CMAKE_CURRENT_BINARY_DIR}/generated/runtime/missing.cpp")
file(CONFIGURE OUTPUT "${missing_source}" CONTENT "${missing}")

target_include_directories(cudalab_runtime SYSTEM PUBLIC "${CUDALAB_CUDA_HEADERS}" "${CMAKE_SOURCE_DIR}/include/cudalab/nvml")
add_library(cudalab_runtime_library SHARED "${missing_source}" $<TARGET_OBJECTS:cudalab_runtime>)
target_include_directories(cudalab_runtime_library SYSTEM PRIVATE "${CUDALAB_CUDA_HEADERS}")
target_link_libraries(cudalab_runtime PUBLIC cudalab_vgpu)
target_link_libraries(cudalab_runtime PRIVATE zstd lz4)
target_link_libraries(cudalab_runtime_library PRIVATE cudalab_options cudalab_vgpu ${CMAKE_DL_LIBS} zstd lz4)
target_link_options(cudalab_runtime_library PRIVATE "LINKER:--version-script=${directory}/libcudart.map")
set_target_properties(cudalab_runtime_library PROPERTIES
  PREFIX "" OUTPUT_NAME "libcudart" SUFFIX ".so.13" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/runtime")
set_target_properties(cudalab_runtime_library PROPERTIES LINK_DEPENDS "${directory}/libcudart.map")
install(TARGETS cudalab_runtime_library LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/cudalab")

# libcuda.so.1 and libnvidia-ml.so.1 are filter libraries: they contain the names of their API, for programs that link them,
# and the dynamic linker takes the functions from libcudart.so.13 (DT_FILTER). All APIs of a program therefore share one
# runtime. Their own functions would end the program.
function(cudalab_filter file list)
  file(STRINGS "${list}" names)
  set(text "// Made from a list of entry points.\n")
  foreach(name ${names})
    string(APPEND text "void ${name}(void) { __builtin_trap(); }\n")
  endforeach()
  string(MAKE_C_IDENTIFIER "${file}" id)
  set(source "${CMAKE_CURRENT_BINARY_DIR}/generated/runtime/${id}.c")
  file(CONFIGURE OUTPUT "${source}" CONTENT "${text}")
  add_library(cudalab_${id} SHARED "${source}")
  set_target_properties(cudalab_${id} PROPERTIES
    PREFIX "" OUTPUT_NAME "${file}" SUFFIX "" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/runtime"
    BUILD_RPATH "$ORIGIN" INSTALL_RPATH "$ORIGIN")
  target_link_options(cudalab_${id} PRIVATE -nostdlib "LINKER:--filter,libcudart.so.13")
  add_dependencies(cudalab_runtime_library cudalab_${id})
  install(TARGETS cudalab_${id} LIBRARY DESTINATION "${CMAKE_INSTALL_LIBDIR}/cudalab")
endfunction()
cudalab_filter(libcuda.so.1 "${directory}/driver/entry_points.txt")
cudalab_filter(libnvidia-ml.so.1 "${directory}/driver/nvml_entry_points.txt")
