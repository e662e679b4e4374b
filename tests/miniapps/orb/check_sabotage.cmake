# cmake -DORB=<orb_sabotaged> -DFOLDER=<scratch> [-DSABOTAGE=<name> -DCHECK=<check>]
#   [-DOPTIONS=<comma-separated options>] [-DMPIEXEC=<mpiexec> -DNUMPROC=<flag> -DRANKS=<n>]
#   -P check_sabotage.cmake
# A result that was corrupted, by one of the ranks if there are several, must end `orb --verify` with
# exit code 1, name the check that found it, and leave neither a figure of merit nor an output file; a
# sound one must have all of them.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(command ${ORB} --generate uniform --particles 2000 --leaves 11 --seed 3 --repeat 1 --verify
  --output ${FOLDER}/tree.h5)
string(REPLACE "," ";" OPTIONS "${OPTIONS}")
list(APPEND command ${OPTIONS})
if(RANKS)
  list(PREPEND command ${MPIEXEC} ${NUMPROC} ${RANKS})
endif()
if(SABOTAGE)
  set(ENV{COPSE_SABOTAGE} ${SABOTAGE})
endif()
execute_process(COMMAND ${command} RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
set(said "\nexit code ${code}\n${out}\n${err}")

if(SABOTAGE)
  if(NOT code STREQUAL "1")
    message(FATAL_ERROR "A corrupted result (${SABOTAGE}) must end with exit code 1.${said}")
  endif()
  if("${out}${err}" MATCHES "FOM ")
    message(FATAL_ERROR "A corrupted result (${SABOTAGE}) must have no figure of merit.${said}")
  endif()
  if(NOT err MATCHES "${CHECK}")
    message(FATAL_ERROR "The message must name the check ${CHECK}.${said}")
  endif()
  if(EXISTS ${FOLDER}/tree.h5)
    message(FATAL_ERROR "A corrupted result (${SABOTAGE}) must not be written.${said}")
  endif()
else()
  if(NOT code STREQUAL "0" OR NOT out MATCHES "FOM " OR NOT EXISTS ${FOLDER}/tree.h5)
    message(FATAL_ERROR "A sound result must pass, with a figure of merit and a file.${said}")
  endif()
endif()
