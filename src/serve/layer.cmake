# The files of the page, web/, as one table of the program: {"/app.js", TYPE, TEXT}.
file(GLOB web_files CONFIGURE_DEPENDS "${CMAKE_SOURCE_DIR}/web/*.html" "${CMAKE_SOURCE_DIR}/web/*.css"
                                      "${CMAKE_SOURCE_DIR}/web/*.js" "${CMAKE_SOURCE_DIR}/web/*.svg")
set(web_table "")
foreach(file IN LISTS web_files)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS "${file}")
  cmake_path(GET file FILENAME name)
  cmake_path(GET file EXTENSION ending)
  file(READ "${file}" text)
  string(APPEND web_table "{\"/${name}\", \"${ending}\", R\"embedded(${text})embedded\"},\n")
endforeach()
cudalab_write_embedded(web_files.inc "${web_table}")
