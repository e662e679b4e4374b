# cmake -DORB=<program> -DMPIEXEC=<mpiexec> -DNUMPROC=<flag> -DRANKS=<n> -DFOLDER=<scratch>
#   -P check_ranks.cmake
# Tree and order must be bitwise those of one rank, for every kind of reshuffling, without and with
# weights, from even and uneven distributions. Oracle: the checksum of the builders of one rank.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})

function(orb_checksum result)
  execute_process(COMMAND ${ARGN} --repeat 1 --quiet --verify --backend serial
      --json ${FOLDER}/run.json
    RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_VARIABLE out)
  if(NOT code STREQUAL "0")
    message(FATAL_ERROR "${ARGN} ended with ${code}: ${out} ${err}")
  endif()
  file(READ ${FOLDER}/run.json report)
  string(JSON checksum GET "${report}" results checksum)
  set(${result} ${checksum} PARENT_SCOPE)
  set(report ${report} PARENT_SCOPE)
endfunction()

function(compare_with_one_rank problem)
  orb_checksum(expected ${ORB} ${problem})
  foreach(how IN LISTS ARGN)
    string(REPLACE " " ";" how ${how})
    orb_checksum(found ${MPIEXEC} ${NUMPROC} ${RANKS} ${ORB} ${problem} --reshuffle ${how})
    if(NOT found STREQUAL expected)
      message(FATAL_ERROR "${problem} on ${RANKS} ranks, ${how}: ${found} instead of ${expected}")
    endif()
    if(RANKS EQUAL 1 AND how STREQUAL "auto")
      continue()  # one rank has no communication
    endif()
    foreach(key compute_seconds communicate_seconds wait_seconds bytes_sent_per_particle
        imbalance_before imbalance_after)
      string(JSON ignored ERROR_VARIABLE missing GET "${report}" results ${key})
      if(missing)
        message(FATAL_ERROR "results have no ${key}: ${missing}")
      endif()
    endforeach()
  endforeach()
endfunction()

compare_with_one_rank("--generate;nfw;--particles;20000;--leaves;37"
  "local" "global" "global --inject-imbalance 0.25" "once" "once --inject-imbalance 0.25")
compare_with_one_rank("--generate;nfw;--particles;20000;--leaves;64" "once" "auto")
compare_with_one_rank("--generate;nfw;--particles;20000;--subsample;7000;--leaves;37"
  "local" "global" "once")
compare_with_one_rank("--generate;nfw;--particles;20000;--leaves;37;--weights;heavy-tailed"
  "local --inject-imbalance 0" "global" "once")
compare_with_one_rank("--generate;nfw;--particles;20000;--leaves;37;--axis-rule;cyclic" "global")
compare_with_one_rank(
  "--generate;uniform;--particles;3;--leaves;4;--weights;column;--weight-exponent;0.5"
  "local" "global")
