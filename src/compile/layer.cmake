target_link_libraries(cudalab_compile PUBLIC ${CMAKE_DL_LIBS})
