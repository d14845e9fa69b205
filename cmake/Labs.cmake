# Every labs/NAME/lab.cpp declares a lab; object code is linked whole so that the declarations are kept.
file(GLOB lab_sources CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/labs/*/*.cpp")
list(FILTER lab_sources EXCLUDE REGEX "_test\\.cpp$")
if(lab_sources)
  add_library(cudalab_labs OBJECT ${lab_sources})
  target_link_libraries(cudalab_labs PUBLIC cudalab_lab OpenMP::OpenMP_CXX)
  # Reading it takes a third of the time of the smaller labs.
  target_precompile_headers(cudalab_labs PRIVATE "${CMAKE_SOURCE_DIR}/src/lab/lab.h")
else()
  add_library(cudalab_labs INTERFACE)
endif()
