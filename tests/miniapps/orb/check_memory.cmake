# cmake -DORB=<program> -DBACKENDS=<comma-separated> -DMPIEXEC=<mpiexec> -DNUMPROC=<flag>
#   -DFOLDER=<scratch> -P check_memory.cmake
# The estimate of --dry-run must match the measured peak: at most 5 % less and 25 % more. Oracle:
# the memory tracker, which records every allocation of the run.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
string(REPLACE "," ";" BACKENDS "${BACKENDS}")

function(run_orb report)
  execute_process(COMMAND ${ARGN} --repeat 2 --quiet --json ${FOLDER}/run.json
    RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_VARIABLE out)
  if(NOT code STREQUAL "0")
    message(FATAL_ERROR "${ARGN} ended with ${code}: ${out} ${err}")
  endif()
  file(READ ${FOLDER}/run.json text)
  set(${report} ${text} PARENT_SCOPE)
endfunction()

function(compare_estimate ranks options)
  string(REPLACE " " ";" options "${options}")
  set(command ${ORB} --generate uniform --particles 200000 ${options})
  if(ranks GREATER 1)
    set(command ${MPIEXEC} ${NUMPROC} ${ranks} ${command})
  endif()
  run_orb(dry ${command} --dry-run)
  run_orb(wet ${command})
  string(JSON estimate GET "${dry}" results estimated_host_bytes)
  string(JSON peak GET "${wet}" memory peak_host_bytes)
  math(EXPR percent "${estimate} * 100 / ${peak}")
  if(percent LESS 95 OR percent GREATER 125)
    string(REPLACE ";" " " options "${options}")
    message(SEND_ERROR
      "${options} on ${ranks} ranks: ${estimate} B are ${percent} % of the peak, ${peak} B")
  endif()
endfunction()

# Every variant with one thread; the number of threads changes how many levels the default cuts
# level by level.
foreach(options "--leaves 64" "--placement fused --leaves 1024" "--placement device --leaves 64"
    "--placement count-on-device" "--placement host --cut bisection --count batched"
    "--cut sampled-bisection --leaves 512" "--cut histogram --leaves 512"
    "--cut quickselect --partition hoare" "--partition atomic" "--weights heavy-tailed --leaves 64"
    "--weights heavy-tailed --leaves 64 --weight-exponent 0.5"
    "--weights column --leaves 512" "--reshuffle global" "--reshuffle local --leaves 512"
    "--reshuffle once" "--positions-only --leaves 512"
    "--positions-only --placement fused --leaves 1024"
    "--stream 50000" "--stream 50000 --compress 16 --leaves 512"
    "--compress 21" "--compress 32 --placement device" "--compress 16 --reshuffle local"
    "--all-backends")
  compare_estimate(1 "--backend serial ${options}")
endforeach()
foreach(backend IN LISTS BACKENDS)
  compare_estimate(1 "--backend ${backend} --leaves 4096")
endforeach()
foreach(options "--reshuffle local" "--reshuffle global --weights heavy-tailed")
  compare_estimate(3 "--backend serial ${options}")
endforeach()
compare_estimate(2 "--backend serial --reshuffle once --leaves 64")
compare_estimate(2 "--backend serial --reshuffle once --leaves 64 --compress 21")
