target_link_libraries(cudalab_cli PRIVATE CLI11::CLI11)
target_compile_definitions(cudalab_cli PRIVATE
  CUDALAB_COMPILER="${CMAKE_CXX_COMPILER_ID} ${CMAKE_CXX_COMPILER_VERSION}"
  CUDALAB_BUILD_TYPE="${CMAKE_BUILD_TYPE}")

# The screen of `cudalab step`; without the library that verb says so, and prints lines.
set(CURSES_NEED_NCURSES TRUE)
set(CURSES_NEED_WIDE TRUE)
find_package(Curses QUIET)
if(CURSES_FOUND)
  target_link_libraries(cudalab_cli PRIVATE ${CURSES_LIBRARIES})
  target_include_directories(cudalab_cli PRIVATE ${CURSES_INCLUDE_DIRS})
  target_compile_definitions(cudalab_cli PRIVATE CUDALAB_HAS_CURSES)
endif()
# curses.h has names such as `move` and `refresh`.
set_source_files_properties("${directory}/terminal/full_screen.cpp" PROPERTIES SKIP_UNITY_BUILD_INCLUSION ON)
