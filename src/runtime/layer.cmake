# The shared library that programs are run with. It answers to the name that nvcc's programs ask for, and exports
# NVIDIA's entry points alone: all 422 of CUDA 13.0. Those that nothing here defines are made from the list, weak, and
# say so by name.
set(entry_points "${directory}/entry_points.txt")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${entry_points}")
file(STRINGS "${entry_points}" names)
set(missing "// Made from entry_points.txt: what no other source defines.\n#include \"runtime/missing.h\"\n")
foreach(name ${names})
  string(APPEND missing "CUDALAB_MISSING(${name})\n")
endforeach()
set(missing_source "${CMAKE_CURRENT_BINARY_DIR}/generated/runtime/missing.cpp")
file(CONFIGURE OUTPUT "${missing_source}" CONTENT "${missing}")

target_include_directories(cudalab_runtime SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
add_library(cudalab_runtime_library SHARED "${missing_source}" $<TARGET_OBJECTS:cudalab_runtime>)
target_include_directories(cudalab_runtime_library SYSTEM PRIVATE "${CUDALAB_CUDA_INCLUDE_DIR}")
target_link_libraries(cudalab_runtime PUBLIC cudalab_vgpu)
target_link_libraries(cudalab_runtime PRIVATE zstd lz4)
target_link_libraries(cudalab_runtime_library PRIVATE cudalab_options cudalab_vgpu ${CMAKE_DL_LIBS} zstd lz4)
target_link_options(cudalab_runtime_library PRIVATE "LINKER:--version-script=${directory}/libcudart.map")
set_target_properties(cudalab_runtime_library PROPERTIES
  PREFIX "" OUTPUT_NAME "libcudart" SUFFIX ".so.13" LIBRARY_OUTPUT_DIRECTORY "${CMAKE_BINARY_DIR}/runtime")
set_target_properties(cudalab_runtime_library PROPERTIES LINK_DEPENDS "${directory}/libcudart.map")
