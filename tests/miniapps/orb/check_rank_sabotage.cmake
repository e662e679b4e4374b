# cmake -DORB=<program> -DMPIEXEC=<mpiexec> -DNUMPROC=<flag> -DSABOTAGE=<name> -DCHECK=<check>
#   -DFOLDER=<scratch> -P check_rank_sabotage.cmake
# A result that one of three ranks has corrupted must end `orb --verify` with exit code 1, name the
# check that found it, and leave neither a figure of merit nor an output file.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(
  COMMAND ${MPIEXEC} ${NUMPROC} 3 ${ORB} --generate uniform --particles 2000 --leaves 11 --repeat 1
    --verify --backend serial --output ${FOLDER}/tree.h5 --sabotage ${SABOTAGE}
  RESULT_VARIABLE code OUTPUT_VARIABLE out ERROR_VARIABLE err)
set(said "\nexit code ${code}\n${out}\n${err}")
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
