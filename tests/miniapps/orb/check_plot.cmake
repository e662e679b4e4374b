# cmake -DORB=<program> -DPYTHON=<python> -DPLOT=<plot_orb.py> -DFOLDER=<scratch> -P
# check_plot.cmake
# plot_orb.py plots the output of `orb --output` and rejects any other file: one line on stderr,
# exit code 2, no picture.
execute_process(COMMAND ${PYTHON} -c "import numpy, h5py, matplotlib" RESULT_VARIABLE missing
  OUTPUT_QUIET ERROR_QUIET)
if(missing)
  message("SKIP: ${PYTHON} lacks numpy, h5py or matplotlib")
  return()
endif()
file(REMOVE_RECURSE ${FOLDER})
file(MAKE_DIRECTORY ${FOLDER})
execute_process(
  COMMAND ${ORB} --generate uniform --particles 500 --leaves 5 --output ${FOLDER}/tree.h5
  COMMAND_ERROR_IS_FATAL ANY OUTPUT_QUIET)

foreach(options "" "--axes;xy;--slice;0.5" "--axes;xy;--slice;0.5;--thickness;0.3;--bare")
  execute_process(COMMAND ${PYTHON} ${PLOT} ${FOLDER}/tree.h5 -o ${FOLDER}/picture.png ${options}
    COMMAND_ERROR_IS_FATAL ANY)
  file(READ ${FOLDER}/picture.png magic LIMIT 4 HEX)
  if(NOT magic STREQUAL "89504e47")
    message(FATAL_ERROR "picture.png is no PNG file")
  endif()
  file(REMOVE ${FOLDER}/picture.png)
endforeach()

file(WRITE ${FOLDER}/text.h5 "no HDF5 at all")
foreach(arguments "${FOLDER}/none.h5" "${FOLDER}/text.h5" "${FOLDER}/tree.h5;--axes;xx"
    "${FOLDER}/tree.h5;--slice;1.5" "${FOLDER}/tree.h5;--thickness;0" "${FOLDER}/tree.h5;--bare")
  execute_process(COMMAND ${PYTHON} ${PLOT} ${arguments} -o ${FOLDER}/picture.png
    RESULT_VARIABLE code ERROR_VARIABLE err)
  string(REGEX MATCHALL "\n" lines "${err}")
  list(LENGTH lines lines)
  if(NOT code STREQUAL "2" OR NOT lines EQUAL 1 OR EXISTS ${FOLDER}/picture.png)
    message(FATAL_ERROR "plot_orb.py ${arguments} must end with one sentence and exit code 2\n"
      "exit code ${code}\n${err}")
  endif()
endforeach()
