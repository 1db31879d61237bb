# SPDX-License-Identifier: BSD-3-Clause
#
# sonde_backend(NAME FAKE_SONAME): everything a backend's folder needs, from its descriptions:
#   sonde-NAME        libsonde-NAME.so, wrappers + tables + the folder's own C files
#   NAME_fake         the simulated runtime (not built by default), under <build>/tests/fake/NAME/
#   <build>/generated/NAME/   the generated C and the page of covered functions
# sonde_attach_table(): the launcher's table of all attach.conf, for the command's sources.
set(SONDE_TOOLS ${PROJECT_SOURCE_DIR}/tools)
set(SONDE_WRAP_PARTS 8) # files per large API: so many compile side by side
file(GLOB SONDE_APIGEN CONFIGURE_DEPENDS ${SONDE_TOOLS}/api_*.py ${SONDE_TOOLS}/apigen.py)

# Runs the generator for one folder; sets generated_sources, generated_fake, generated_dir.
macro(sonde_generate name folder)
	set(generated_dir ${CMAKE_BINARY_DIR}/generated/${name})
	set(generated_sources ${generated_dir}/${name}_table.c)
	math(EXPR last "${SONDE_WRAP_PARTS} - 1")
	foreach(part RANGE ${last})
		list(APPEND generated_sources ${generated_dir}/${name}_wrap_${part}.c)
	endforeach()
	set(generated_fake ${generated_dir}/${name}_fake.c)
	set(generated_header ${generated_dir}/${name}_gen.h)
	file(MAKE_DIRECTORY ${generated_dir})
	add_custom_command(
		OUTPUT ${generated_sources} ${generated_fake} ${generated_header} ${generated_dir}/${name}.md
		COMMAND ${Python3_EXECUTABLE} ${SONDE_TOOLS}/apigen.py backend ${folder}
			--kinds ${PROJECT_SOURCE_DIR}/src/format/kinds.h --out ${generated_dir} --parts ${SONDE_WRAP_PARTS}
		DEPENDS ${SONDE_APIGEN} ${PROJECT_SOURCE_DIR}/src/format/kinds.h
			${folder}/${name}.api ${folder}/${name}.roles ${folder}/attach.conf
		COMMENT "Generating wrappers of ${name}" VERBATIM)
endmacro()

function(sonde_backend name fake_soname)
	set(folder ${CMAKE_CURRENT_SOURCE_DIR})
	sonde_generate(${name} ${folder})
	file(GLOB own_sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.S)

	add_library(sonde-${name} SHARED ${generated_sources} ${own_sources} ${generated_header})
	set_target_properties(sonde-${name} PROPERTIES OUTPUT_NAME libsonde-${name})
	sonde_in_process(sonde-${name})
	target_compile_definitions(sonde-${name} PRIVATE _GNU_SOURCE)
	target_include_directories(sonde-${name} PRIVATE ${generated_dir})
	target_link_libraries(sonde-${name} PRIVATE sonde_record)

	add_library(${name}_fake SHARED EXCLUDE_FROM_ALL ${generated_fake})
	set_target_properties(${name}_fake PROPERTIES PREFIX "" OUTPUT_NAME ${fake_soname} SUFFIX ""
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fake/${name})
	target_compile_options(${name}_fake PRIVATE -O1)
	target_link_options(${name}_fake PRIVATE -Wl,-soname,${fake_soname})
	install(FILES ${generated_dir}/${name}.md DESTINATION share/doc/sonde/functions)
endfunction()

# Called once, after the folders: the table goes where the top CMakeLists.txt collects sources.
function(sonde_attach_table)
	file(GLOB files CONFIGURE_DEPENDS ${PROJECT_SOURCE_DIR}/src/backends/*/attach.conf)
	set(folders)
	foreach(file IN LISTS files)
		get_filename_component(folder ${file} DIRECTORY)
		if(EXISTS ${folder}/CMakeLists.txt)
			list(APPEND folders ${folder})
		endif()
	endforeach()
	if(NOT folders)
		return()
	endif()
	set(table ${CMAKE_BINARY_DIR}/generated/attach_table.c)
	file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated)
	add_custom_command(
		OUTPUT ${table}
		COMMAND ${Python3_EXECUTABLE} ${SONDE_TOOLS}/apigen.py attach --out ${table} ${folders}
		DEPENDS ${SONDE_APIGEN} ${files}
		COMMENT "Generating the table of backends" VERBATIM)
	set_property(GLOBAL APPEND PROPERTY SONDE_CLI_SOURCES ${table})
	set_source_files_properties(${table} PROPERTIES GENERATED TRUE)
endfunction()
