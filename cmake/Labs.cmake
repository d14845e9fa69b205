# Every labs/NAME/lab.cpp declares a lab; object code is linked whole so that the declarations are kept.
file(GLOB lab_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/labs/*/*.cpp")
list(FILTER lab_sources EXCLUDE REGEX "_test\\.cpp$")
if(lab_sources)
  add_library(cudalab_labs OBJECT ${lab_sources})
  target_link_libraries(cudalab_labs PUBLIC cudalab_lab cudalab_openmp)
  cudalab_unity(cudalab_labs UNITS 2)
  # The CPU versions' loops are vectorised as at -O3; what else that does took a third of the time, for nothing measured.
  target_compile_options(cudalab_labs PRIVATE $<$<CONFIG:Release>:-O2 -ftree-vectorize -fvect-cost-model=dynamic>)
else()
  add_library(cudalab_labs INTERFACE)
endif()
