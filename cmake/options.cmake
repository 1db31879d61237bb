# SPDX-License-Identifier: BSD-3-Clause
#
# Option table, --help texts, man page and shell completion, all made from src/options.def and the
# options.def of backends by tools/optgen.py.
file(GLOB option_files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backends/*/options.def)
list(INSERT option_files 0 ${PROJECT_SOURCE_DIR}/src/options.def)

file(GLOB option_backends CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backends/*/attach.conf)
set(option_backend_arguments)
foreach(conf IN LISTS option_backends)
	get_filename_component(folder ${conf} DIRECTORY)
	get_filename_component(name ${folder} NAME)
	if(NOT name STREQUAL template)
		list(APPEND option_backend_arguments --backend ${name})
	endif()
endforeach()

set(option_folder ${PROJECT_BINARY_DIR}/generated/cli)
set(option_man ${PROJECT_SOURCE_DIR}/docs/man/sonde.1.in)
set(option_completion ${PROJECT_SOURCE_DIR}/src/cli/completion.bash.in)
file(MAKE_DIRECTORY ${option_folder})
add_custom_command(
	OUTPUT ${option_folder}/options_gen.h ${option_folder}/options_gen.c ${option_folder}/sonde.1 ${option_folder}/sonde
	COMMAND ${Python3_EXECUTABLE} ${PROJECT_SOURCE_DIR}/tools/optgen.py
		--header ${option_folder}/options_gen.h --source ${option_folder}/options_gen.c
		--man-template ${option_man} --man ${option_folder}/sonde.1
		--completion-template ${option_completion} --completion ${option_folder}/sonde
		--version ${PROJECT_VERSION} ${option_backend_arguments} ${option_files}
	DEPENDS ${PROJECT_SOURCE_DIR}/tools/optgen.py ${option_man} ${option_completion} ${option_files}
	COMMENT "Options: table, help, man page, completion"
	VERBATIM)

set_property(GLOBAL APPEND PROPERTY SONDE_CLI_SOURCES ${option_folder}/options_gen.h ${option_folder}/options_gen.c)
set_property(GLOBAL APPEND PROPERTY SONDE_CLI_INCLUDES ${option_folder})
set_property(GLOBAL APPEND PROPERTY SONDE_MAN_PAGES ${option_folder}/sonde.1)
set_property(GLOBAL APPEND PROPERTY SONDE_COMPLETIONS ${option_folder}/sonde)
