# SPDX-License-Identifier: BSD-3-Clause
#
# Clang, whose OpenMP runtime has a tool interface:
#   OMPT_CLANG        the compiler, or a false value
#   OMPT_LINK         flags for linking with its runtime, which is often outside of the loader's search
#   ompt_can(RESULT SOURCE FLAGS...)   can a program be built from it?
find_program(OMPT_CLANG NAMES clang-19 clang-20 clang-21 clang-22 clang)
get_filename_component(ompt_prefix "${OMPT_CLANG}" REALPATH)
get_filename_component(ompt_prefix "${ompt_prefix}" DIRECTORY)
set(OMPT_LINK -L${ompt_prefix}/../lib -Wl,-rpath,${ompt_prefix}/../lib)

function(ompt_can result source)
	set(${result} FALSE PARENT_SCOPE)
	if(OMPT_CLANG)
		set(probe ${CMAKE_CURRENT_BINARY_DIR}/ompt_probe)
		execute_process(COMMAND ${OMPT_CLANG} -fopenmp ${ARGN} ${CMAKE_CURRENT_SOURCE_DIR}/${source} ${OMPT_LINK}
			-o ${probe} RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
		file(REMOVE ${probe})
		if(status EQUAL 0)
			set(${result} TRUE PARENT_SCOPE)
		endif()
	endif()
endfunction()
