cudalab_embed_prototypes("${directory}/api/per_thread.txt" PER_THREAD)
# The shared library that programs are run with. It answers to the name that nvcc's programs ask for, and exports
# NVIDIA's entry points alone: all 422 of CUDA 13.0. Those that nothing here defines are made from the list, weak, and
# say so by name.
# Not there with sanitizers, which a program would have to be built with, too: `cudalab exec` then says so.
find_path(CUDALAB_ZSTD_INCLUDE_DIR zstd.h)
find_path(CUDALAB_LZ4_INCLUDE_DIR lz4.h)
if(CUDALAB_SANITIZE OR NOT CUDALAB_ZSTD_INCLUDE_DIR OR NOT CUDALAB_LZ4_INCLUDE_DIR)
  message(STATUS "Without the runtime for whole programs: it needs libzstd-dev and liblz4-dev, and no sanitizers")
  set_target_properties(cudalab_runtime PROPERTIES EXCLUDE_FROM_ALL ON)
  set(tests "")
  return()
endif()

include(GNUInstallDirs)
set(entry_points "${directory}/entry_points.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${entry_points}")
file(STRINGS "${entry_points}" names)
set(missing "// Made from entry_points.txt: what no other source defines.\n#include \"runtime/missing.h\"\n")
foreach(name ${names})
  string(APPEND missing "CUDALAB_MISSING(${name})\n")
endforeach()
set(missing_source "${CMAKE_CURRENT_BINARY_DIR}/generated/runtime/missing.cpp")
file(CONFIGURE OUTPUT "${missing_source}" CONTENT "${missing}")

target_include_directories(cudalab_runtime SYSTEM PUBLIC "${CUDALAB_CUDA_HEADERS}")
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
