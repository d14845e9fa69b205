include(GNUInstallDirs)
target_compile_definitions(cudalab_device PRIVATE CUDALAB_LIBRARY_DIRECTORY="${CMAKE_INSTALL_LIBDIR}")
