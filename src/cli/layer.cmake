target_link_libraries(cudalab_cli PUBLIC CLI11::CLI11)
