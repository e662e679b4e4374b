# cmake -DSOURCE_DIR=<checkout> -DTEMPLATE=<git_commit.cpp.in> -DOUTPUT=<file> -P git_commit.cmake
# runs at every build. The output is written only when it changes, so a new commit recompiles only
# one small file.

set(COPSE_GIT_COMMIT unknown)
set(COPSE_GIT_DIRTY false)
find_program(git_program git)
if(git_program)
  # Reading the state must not write the index while another git command runs.
  set(git ${git_program} --no-optional-locks -C ${SOURCE_DIR})
  execute_process(COMMAND ${git} rev-parse HEAD
    OUTPUT_VARIABLE commit RESULT_VARIABLE failed ERROR_QUIET OUTPUT_STRIP_TRAILING_WHITESPACE)
  if(NOT failed)
    set(COPSE_GIT_COMMIT ${commit})
    execute_process(COMMAND ${git} status --porcelain --untracked-files=no
      OUTPUT_VARIABLE changes ERROR_QUIET)
    if(changes)
      set(COPSE_GIT_DIRTY true)
    endif()
  endif()
endif()
configure_file(${TEMPLATE} ${OUTPUT} @ONLY)
