# SPDX-License-Identifier: BSD-3-Clause
# Flags of the recorder's files.
foreach(target sonde_record sonde_record_static)
	target_compile_definitions(${target} PRIVATE _GNU_SOURCE)
endforeach()
# before a name is known to be ours nothing of libc may run, see the file
set_source_files_properties(src/record/rec_dlsym.c PROPERTIES COMPILE_OPTIONS
	"-fno-builtin;$<$<C_COMPILER_ID:GNU>:-fno-tree-loop-distribute-patterns>")
