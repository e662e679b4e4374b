# Installation and the CMake package, so that other projects can find_package(Copse) and link
# copse::common. Dependencies built from source as part of Copse are installed into the same prefix,
# where the package finds them; installed ones are found in their own locations.

include(CMakePackageConfigHelpers)
set(copse_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Copse)

install(TARGETS copse_common EXPORT CopseTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})
install(DIRECTORY ${PROJECT_SOURCE_DIR}/common/copse DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
  FILES_MATCHING PATTERN "*.hpp")
install(FILES ${PROJECT_BINARY_DIR}/common/include/copse/config.hpp
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/copse)
install(EXPORT CopseTargets NAMESPACE copse:: DESTINATION ${copse_package_folder})

# The location of each dependency, only as a hint: the consumer's own search path comes first.
set(copse_package_hints "")
foreach(package Kokkos CLI11 nlohmann_json fmt)
  if(${package}_FOUND AND IS_DIRECTORY "${${package}_DIR}")
    string(APPEND copse_package_hints "set(copse_${package}_hint \"${${package}_DIR}\")\n")
  endif()
endforeach()
configure_package_config_file(cmake/CopseConfig.cmake.in CopseConfig.cmake
  INSTALL_DESTINATION ${copse_package_folder})
write_basic_package_version_file(CopseConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${PROJECT_BINARY_DIR}/CopseConfig.cmake ${PROJECT_BINARY_DIR}/CopseConfigVersion.cmake
  DESTINATION ${copse_package_folder})
