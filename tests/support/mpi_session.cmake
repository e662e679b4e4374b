# ctest reads this before it runs anything. When the last process of a host ends, Open MPI 4 removes
# its session folder; a process that starts at that moment fails with "A call to mkdir was unable to
# create the desired directory". A folder of ours in it prevents the removal. Processes that start no
# daemon (ess_singleton_isolated) all call themselves rank 0 of job 1 and have one folder below it,
# which is kept in the same way.

set(copse_tmp /tmp)
if(NOT "$ENV{TMPDIR}" STREQUAL "")
  set(copse_tmp $ENV{TMPDIR})
endif()
cmake_host_system_information(RESULT copse_host QUERY HOSTNAME)
string(REGEX REPLACE "\\..*" "" copse_short_host "${copse_host}")
execute_process(COMMAND id -u OUTPUT_VARIABLE copse_user OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
foreach(copse_name IN ITEMS ${copse_host} ${copse_short_host})
  file(MAKE_DIRECTORY ${copse_tmp}/ompi.${copse_name}.${copse_user}/copse
    ${copse_tmp}/ompi.${copse_name}.${copse_user}/jf.0/1/0/copse)
endforeach()
