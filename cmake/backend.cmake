# SPDX-License-Identifier: BSD-3-Clause
#
# sonde_backend(NAME FAKE_SONAME): everything a backend's folder needs, from its descriptions:
#   sonde-NAME        libsonde-NAME.so, wrappers + tables + the folder's own C files
#   NAME_fake         the simulated runtime (not built by default), under <build>/tests/fake/NAME/
#   <build>/generated/NAME/   the generated C and the page of covered functions
# sonde_plain_backend(NAME): the same for one that wraps no functions: libsonde-NAME.so from the folder's own C files.
# sonde_stand_in(VERSION FILE...): empty libraries of these names, see `opened` in docs/ADD-A-BACKEND.md. VERSION: of the
#   real one's symbols, which the loader would miss where a program has a library of its own that is linked with it.
# sonde_sampler(NAME): sonde-sample-NAME, a program that `sonde --sample NAME` starts, from the folder's own C files.
# sonde_attach_table(): the launcher's table of all attach.conf, for the command's sources.
set(SONDE_TOOLS ${PROJECT_SOURCE_DIR}/tools)
file(GLOB SONDE_APIGEN CONFIGURE_DEPENDS ${SONDE_TOOLS}/api_*.py ${SONDE_TOOLS}/apigen.py)

# Runs the generator for one folder; sets generated_sources, generated_fake, generated_dir.
macro(sonde_generate name folder)
	set(generated_dir ${CMAKE_BINARY_DIR}/generated/${name})
	set(generated_sources ${generated_dir}/${name}_fast.c ${generated_dir}/${name}_table.c)
	# no debug information: nobody steps through what only hands over, and it is a third of the time
	set_source_files_properties(${generated_sources} PROPERTIES COMPILE_OPTIONS "-g0")
	# these hand over to the recorder and do nothing else: half the time to compile, the same code
	set(plain_sources ${generated_dir}/${name}_wrap.c ${generated_dir}/${name}_stubs.S)
	set_source_files_properties(${plain_sources} PROPERTIES COMPILE_OPTIONS "-O1;-g0")
	list(APPEND generated_sources ${plain_sources})
	set(generated_fake ${generated_dir}/${name}_fake.c)
	set(generated_header ${generated_dir}/${name}_gen.h)
	file(MAKE_DIRECTORY ${generated_dir})
	file(GLOB arguments CONFIGURE_DEPENDS ${folder}/${name}.args)
	add_custom_command(
		OUTPUT ${generated_sources} ${generated_fake} ${generated_header} ${generated_dir}/${name}.md
		COMMAND ${Python3_EXECUTABLE} ${SONDE_TOOLS}/apigen.py backend ${folder}
			--kinds ${PROJECT_SOURCE_DIR}/src/format/kinds.h --out ${generated_dir}
		DEPENDS ${SONDE_APIGEN} ${PROJECT_SOURCE_DIR}/src/format/kinds.h
			${folder}/${name}.api ${folder}/${name}.roles ${folder}/attach.conf ${arguments}
		COMMENT "Generating wrappers of ${name}" VERBATIM)
endmacro()

function(sonde_backend name fake_soname)
	cmake_parse_arguments(arg "SKELETON" "" "" ${ARGN})
	set(folder ${CMAKE_CURRENT_SOURCE_DIR})
	sonde_generate(${name} ${folder})
	file(GLOB own_sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.S)

	add_library(sonde-${name}_wrappers OBJECT ${generated_sources} ${generated_header})
	sonde_in_process(sonde-${name}_wrappers)
	target_include_directories(sonde-${name}_wrappers PRIVATE ${generated_dir})

	add_library(sonde-${name} SHARED $<TARGET_OBJECTS:sonde-${name}_wrappers> ${own_sources})
	set_target_properties(sonde-${name} PROPERTIES OUTPUT_NAME libsonde-${name})
	sonde_in_process(sonde-${name} NO_INSTALL)
	target_compile_definitions(sonde-${name} PRIVATE _GNU_SOURCE)
	target_include_directories(sonde-${name} PRIVATE ${generated_dir})
	target_link_libraries(sonde-${name} PRIVATE sonde_record)
	add_dependencies(sonde-${name} sonde-${name}_wrappers) # own sources include the generated header

	# for tests: the wrappers without the hand-written part, and something to wrap
	add_library(${name}_bare SHARED EXCLUDE_FROM_ALL $<TARGET_OBJECTS:sonde-${name}_wrappers>)
	set_target_properties(${name}_bare PROPERTIES OUTPUT_NAME libbare-${name} LINKER_LANGUAGE C
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fake/${name})
	sonde_in_process(${name}_bare NO_INSTALL)
	target_link_libraries(${name}_bare PRIVATE sonde_record)
	add_library(${name}_fake SHARED EXCLUDE_FROM_ALL ${generated_fake})
	set_target_properties(${name}_fake PROPERTIES PREFIX "" OUTPUT_NAME ${fake_soname} SUFFIX "" NO_SONAME ON
		LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fake/${name})
	target_compile_options(${name}_fake PRIVATE -O0)
	target_link_options(${name}_fake PRIVATE -Wl,-soname,${fake_soname})

	set_property(GLOBAL APPEND PROPERTY SONDE_BACKENDS ${name})
	if(arg_SKELETON)
		set_target_properties(sonde-${name} sonde-${name}_wrappers PROPERTIES EXCLUDE_FROM_ALL ON
			LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests/fake/${name})
		return()
	endif()
	set_property(GLOBAL APPEND PROPERTY SONDE_ATTACH ${folder})
	install(TARGETS sonde-${name} LIBRARY DESTINATION ${SONDE_INSTALL_LIBDIR})
	install(FILES ${generated_dir}/${name}.md DESTINATION share/doc/sonde/functions)
	if(EXISTS ${folder}/README.md)
		install(FILES ${folder}/README.md DESTINATION share/doc/sonde/src/backends/${name})
	endif()
endfunction()

function(sonde_plain_backend name)
	set(folder ${CMAKE_CURRENT_SOURCE_DIR})
	file(GLOB own_sources CONFIGURE_DEPENDS ${folder}/*.c ${folder}/*.S)
	add_library(sonde-${name} SHARED ${own_sources})
	set_target_properties(sonde-${name} PROPERTIES OUTPUT_NAME libsonde-${name})
	sonde_in_process(sonde-${name})
	target_compile_definitions(sonde-${name} PRIVATE _GNU_SOURCE)
	target_link_libraries(sonde-${name} PRIVATE sonde_record)
	set_property(GLOBAL APPEND PROPERTY SONDE_ATTACH ${folder})
	install(FILES ${folder}/README.md DESTINATION share/doc/sonde/src/backends/${name})
endfunction()

function(sonde_stand_in version)
	set(empty ${CMAKE_BINARY_DIR}/generated/empty.c)
	file(WRITE ${empty} "extern char sonde_stand_in_is_empty;\n")
	file(WRITE ${empty}.map "${version} { };\n")
	foreach(file IN LISTS ARGN)
		add_library(stand-in-${file} SHARED ${empty})
		set_target_properties(stand-in-${file} PROPERTIES PREFIX "" OUTPUT_NAME ${file} SUFFIX "" NO_SONAME ON
			LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/bin/stand-in)
		target_link_options(stand-in-${file} PRIVATE -nostdlib -Wl,-soname,${file} -Wl,--version-script=${empty}.map)
		install(TARGETS stand-in-${file} LIBRARY DESTINATION ${SONDE_INSTALL_LIBDIR}/stand-in)
	endforeach()
endfunction()

function(sonde_sampler name)
	set(folder ${CMAKE_CURRENT_SOURCE_DIR})
	file(GLOB own_sources CONFIGURE_DEPENDS ${folder}/*.c)
	add_executable(sonde-sample-${name} ${own_sources} ${PROJECT_SOURCE_DIR}/src/sample/sample.c)
	target_compile_definitions(sonde-sample-${name} PRIVATE _GNU_SOURCE)
	target_include_directories(sonde-sample-${name} PRIVATE ${PROJECT_SOURCE_DIR}/src)
	target_link_libraries(sonde-sample-${name} PRIVATE sonde_instrument ${CMAKE_DL_LIBS})
	install(TARGETS sonde-sample-${name} RUNTIME DESTINATION ${SONDE_INSTALL_LIBDIR})
	if(EXISTS ${folder}/README.md)
		install(FILES ${folder}/README.md DESTINATION share/doc/sonde/src/backends/${name})
	endif()
endfunction()

# Called once, after the folders: the table goes where the top CMakeLists.txt collects sources.
function(sonde_attach_table)
	get_property(folders GLOBAL PROPERTY SONDE_ATTACH)
	set(files)
	foreach(folder IN LISTS folders)
		list(APPEND files ${folder}/attach.conf)
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
