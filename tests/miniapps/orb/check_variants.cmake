# cmake -DORB=<program> -DSABOTAGED=<orb_sabotaged> -DFOLDER=<scratch> -P check_variants.cmake
# Variants on the command line: exact and stable variants report the checksum of the default, the
# report has their work level by level, and incompatible options end with one sentence and exit code
# 2.
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
set(input --generate nfw --particles 30000 --leaves 16 --repeat 1 --quiet)

function(orb_run result)
  file(REMOVE ${FOLDER}/run.json)
  execute_process(COMMAND ${ORB} ${input} --verify --json ${FOLDER}/run.json ${ARGN}
    RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_QUIET)
  if(NOT code STREQUAL "0")
    message(FATAL_ERROR "orb ${ARGN} ended with ${code}: ${err}")
  endif()
  file(READ ${FOLDER}/run.json report)
  set(${result} ${report} PARENT_SCOPE)
endfunction()

orb_run(report)
string(JSON expected GET "${report}" results checksum)
foreach(pair bisection:host sampled-bisection:count-on-device histogram:device quickselect:host
    select:count-on-device)
  string(REPLACE ":" ";" pair ${pair})
  list(GET pair 0 cut)
  list(GET pair 1 placement)
  orb_run(report --cut ${cut} --placement ${placement})
  string(JSON found GET "${report}" results checksum)
  if(NOT found STREQUAL expected)
    message(FATAL_ERROR "${cut} on ${placement} gave ${found}, the default ${expected}")
  endif()
endforeach()
foreach(partition hoare atomic)
  orb_run(report --partition ${partition} --all-backends --placement host)
endforeach()
orb_run(report --axis-rule cyclic --cut bisection --alpha 20)

# --positions-only: the same tree on all backends, and a file without the permutation.
orb_run(report --positions-only --all-backends --output ${FOLDER}/positions.h5)
if(NOT EXISTS ${FOLDER}/positions.h5)
  message(FATAL_ERROR "--positions-only wrote no file")
endif()
set(ENV{COPSE_SABOTAGE} order)
execute_process(COMMAND ${SABOTAGED} ${input} --positions-only --verify
  RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_QUIET)
if(NOT code STREQUAL "2" OR NOT err MATCHES "needs a permutation")
  message(FATAL_ERROR "rows that are not known cannot change places: ${code} ${err}")
endif()

orb_run(report --cut bisection --count per-cell --placement count-on-device)
string(JSON placement GET "${report}" parameters placement)
string(JSON bytes GET "${report}" results bytes_to_device)
string(JSON levels LENGTH "${report}" results iterations_per_level)
string(JSON iterations GET "${report}" results iterations_per_level 0)
string(JSON launches GET "${report}" results launches_per_level 0)
# 4 levels of 30000 floats; the root is one cell, so one launch per step.
if(NOT placement STREQUAL "count-on-device" OR NOT bytes EQUAL 480000 OR NOT levels EQUAL 4
    OR NOT launches EQUAL iterations)
  message(FATAL_ERROR "The report does not say what was done: ${report}")
endif()

execute_process(COMMAND ${ORB} --count-bandwidth --verify --generate uniform --particles 50000
  --leaves 37 --repeat 1 --json ${FOLDER}/run.json RESULT_VARIABLE code OUTPUT_VARIABLE out
  ERROR_VARIABLE err)
file(READ ${FOLDER}/run.json report)
foreach(kernel copy read naive per-cell batched warp)
  string(JSON rate GET "${report}" results gigabytes_per_second ${kernel})
endforeach()
if(NOT code STREQUAL "0" OR NOT out MATCHES "FOM count_bandwidth ")
  message(FATAL_ERROR "--count-bandwidth ended with ${code}: ${out}${err}")
endif()

foreach(options
    "--placement;fused;--cut;bisection" "--placement;fused;--partition;atomic"
    "--placement;device;--partition;hoare" "--count;batched" "--alpha;3"
    "--cut;histogram;--max-steps;5" "--cut;bisections" "--axis-rule;random"
    "--cut;bisection;--weights;heavy-tailed" "--placement;device;--reshuffle;local"
    "--positions-only;--cut;histogram" "--positions-only;--weights;heavy-tailed"
    "--positions-only;--reshuffle;local" "--positions-only;--count-bandwidth"
    "--compress;20" "--compress;16;--placement;host"
    "--compress;16;--placement;count-on-device" "--compress;32;--count-bandwidth"
    "--compress;21;--positions-only" "--stream;0" "--stream;many" "--stream;100;--placement;device"
    "--stream;100;--placement;fused" "--stream;100;--cut;bisection" "--stream;100;--count;batched"
    "--stream;100;--positions-only" "--stream;100;--weights;heavy-tailed"
    "--stream;100;--reshuffle;local" "--stream;100;--count-bandwidth" "--stream;100;--alpha;3"
    "--count-bandwidth;--all-backends" "--count-bandwidth;--leaves;100000"
    "--count-bandwidth;--leaf-rule;halves" "--count-bandwidth;--axis-rule;cyclic"
    "--count-bandwidth;--cut;bisection" "--count-bandwidth;--cut;bisection;--count;warp"
    "--count-bandwidth;--cut;bisection;--alpha;3" "--count-bandwidth;--placement;host"
    "--count-bandwidth;--partition;atomic" "--count-bandwidth;--model;corrected"
    "--model;thesis;--model-ranks;4" "--model;thesis;--model-reshuffle;local"
    "--model;thesis;--model-network;10"
    "--model-ranks;4" "--model-reshuffle;local" "--model-steps;5" "--model-network;10"
    "--model-particles;1e6")
  execute_process(COMMAND ${ORB} ${input} ${options} --json ${FOLDER}/refused.json
    RESULT_VARIABLE code ERROR_VARIABLE err OUTPUT_QUIET)
  string(REGEX MATCHALL "\n" lines "${err}")
  list(LENGTH lines lines)
  if(NOT code STREQUAL "2" OR NOT lines EQUAL 1 OR EXISTS ${FOLDER}/refused.json)
    message(FATAL_ERROR "orb ${options} must end with one sentence and exit code 2\n"
      "exit code ${code}\n${err}")
  endif()
endforeach()
