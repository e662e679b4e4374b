# cmake -DORB=<program> -DSABOTAGED=<orb_sabotaged> -DMPIEXEC=<mpiexec> -DNUMPROC=<flag> -P check_rank_refusals.cmake
# Options that two ranks do not support end with one sentence that names the option, and exit code 2.
function(refused option)
  execute_process(COMMAND ${MPIEXEC} ${NUMPROC} 2 ${ORB} --generate uniform --particles 100
      --repeat 1 ${ARGN}
    RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
  string(REGEX MATCHALL "orb: error: ${option}" sentences "${err}")
  list(LENGTH sentences sentences)
  if(NOT code STREQUAL "2" OR NOT sentences EQUAL 1 OR "${out}" MATCHES "FOM ")
    message(FATAL_ERROR "${ARGN} must end with one sentence and exit code 2\ncode ${code}\n${err}")
  endif()
endfunction()

refused(--inject-imbalance --inject-imbalance 3)
refused(--inject-imbalance --inject-imbalance -1)
refused(--inject-imbalance --inject-imbalance nan)
refused(--weight-exponent --weight-exponent 0.5)
refused(--weight-exponent --weights column --weight-exponent 1.5)
refused(--weights --weights lots)
refused(--reshuffle --reshuffle often)
refused(--positions-only --positions-only)
set(ENV{COPSE_SABOTAGE} swap)
set(ORB ${SABOTAGED})
refused(COPSE_SABOTAGE --verify)
