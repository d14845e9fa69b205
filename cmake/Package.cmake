# Packages of the installed program: `cpack` in the build folder, after the target course_ptx (scripts/package does both).

# PTX of all kernels that the course shows: with it, the labs run where there is no compiler.
add_custom_command(
  OUTPUT "${CMAKE_BINARY_DIR}/ptx.stamp"
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${CMAKE_BINARY_DIR}/ptx"
  COMMAND cudalab precompile "${CMAKE_BINARY_DIR}/ptx"
  COMMAND ${CMAKE_COMMAND} -E touch "${CMAKE_BINARY_DIR}/ptx.stamp"
  DEPENDS cudalab
  USES_TERMINAL
  COMMENT "Compiling the course's kernels")
add_custom_target(course_ptx DEPENDS "${CMAKE_BINARY_DIR}/ptx.stamp")
add_dependencies(course_ptx cudalab_with_runtime)
install(DIRECTORY "${CMAKE_BINARY_DIR}/ptx" DESTINATION "${share}" OPTIONAL)
# The editor of the workbook's page, which scripts/editor makes, and the icon that JupyterLab shows.
install(FILES web/icon.svg DESTINATION "${share}/web")
install(FILES "${CMAKE_BINARY_DIR}/web/codemirror.js" DESTINATION "${share}/web" OPTIONAL)

set(CPACK_GENERATOR DEB TGZ)
set(CPACK_PACKAGE_NAME cudalab)
set(CPACK_PACKAGE_VENDOR "the cudalab authors")
set(CPACK_PACKAGE_CONTACT "the cudalab authors <cudalab@localhost>")
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "interactive lab workbook for CUDA courses, with a virtual GPU")
set(CPACK_PACKAGE_DESCRIPTION
    "Labs and exercises that run their kernels on a GPU or on a built-in virtual GPU, which\n\
counts what Nsight Compute would count, finds races and predicts times; and a grader for\n\
classes. The labs' own kernels come compiled; one's own need NVRTC of the CUDA Toolkit.")
set(CPACK_RESOURCE_FILE_LICENSE "${CMAKE_SOURCE_DIR}/LICENSE")
set(CPACK_STRIP_FILES ON)
set(CPACK_PACKAGE_DIRECTORY "${CMAKE_BINARY_DIR}/package")
set(CPACK_PACKAGE_FILE_NAME "cudalab")
# What is installed without one is for machines that build it themselves.
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
# What it finds in a folder of its own is nobody else's library.
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS "${CMAKE_BINARY_DIR}/runtime")
# clang compiles kernels and programs where no CUDA Toolkit is installed.
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "bubblewrap, clang-19 | clang-18 | clang-17")
set(CPACK_DEBIAN_PACKAGE_SUGGESTS "g++, slurm-client")
set(CPACK_DEBIAN_PACKAGE_SECTION education)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
include(CPack)
