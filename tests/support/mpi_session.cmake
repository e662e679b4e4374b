# Read by ctest before it runs anything. Open MPI 4 takes its session folder away with the last process
# of a host, as if no other could begin at that moment: "A call to mkdir was unable to create the
# desired directory" now and then, where tests run beside each other. A folder of ours in it keeps it.

set(copse_tmp /tmp)
if(NOT "$ENV{TMPDIR}" STREQUAL "")
  set(copse_tmp $ENV{TMPDIR})
endif()
cmake_host_system_information(RESULT copse_host QUERY HOSTNAME)
string(REGEX REPLACE "\\..*" "" copse_short_host "${copse_host}")
execute_process(COMMAND id -u OUTPUT_VARIABLE copse_user OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
foreach(copse_name IN ITEMS ${copse_host} ${copse_short_host})
  file(MAKE_DIRECTORY ${copse_tmp}/ompi.${copse_name}.${copse_user}/copse)
endforeach()
