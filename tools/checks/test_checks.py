#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Each check can fail: it is given a small bad input and has to find exactly what is wrong with it."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
SPDX = "/* SPDX-License-Identifier: BSD-3-Clause */\n"


class Check(unittest.TestCase):
    def setUp(self):
        self.root = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.root)

    def path(self, *names):
        return os.path.join(self.root, *names)

    def write(self, name, text):
        os.makedirs(os.path.dirname(self.path(name)), exist_ok=True)
        with open(self.path(name), "w") as stream:
            stream.write(text)

    def check(self, name, *arguments):
        """(exit status, output) of a check; paths in arguments are those of the check."""
        done = subprocess.run([sys.executable, os.path.join(HERE, name + ".py")] + list(arguments),
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, universal_newlines=True)
        return done.returncode, done.stdout

    def assert_finds(self, what, name, *arguments):
        status, output = self.check(name, *arguments)
        self.assertEqual((status, what in output), (1, True), output)
        return output

    def assert_clean(self, name, *arguments):
        status, output = self.check(name, *arguments)
        self.assertEqual(status, 0, output)

    def library(self, name, source, *flags):
        self.write(name + ".c", source)
        command = ["gcc", "-shared", "-fPIC", "-Wl,-z,nodelete", self.path(name + ".c"), "-o", self.path(name)]
        subprocess.run(command + list(flags), check=True)


class Layers(Check):
    def test_an_include_to_the_right_is_found(self):
        self.write("src/read/a.c", '#include "views/view.h"\n')
        self.assert_finds("read/ may not include views/", "layers", self.root)

    def test_an_include_to_the_left_is_fine(self):
        self.write("src/views/a.c", '#include "read/recording.h"\n#include "format/tally.h"\n')
        self.assert_clean("layers", self.root)

    def test_offline_code_may_not_include_the_recorder(self):
        self.write("src/cli/a.c", '#include "record/rec.h"\n')
        self.assert_finds("cli/ may not include record/", "layers", self.root)

    def test_the_recorder_may_not_include_offline_helpers(self):
        self.write("src/record/a.c", '#include "base/arena.h"\n')
        self.assert_finds("record/ may not include base/", "layers", self.root)

    def test_samplers_have_no_part_of_the_recorder(self):
        self.write("src/sample/a.c", '#include "record/rec.h"\n')
        self.assert_finds("sample/ may not include record/", "layers", self.root)

    def test_a_backend_may_not_include_another_one(self):
        self.write("src/backends/one/a.c", '#include "backends/two/two.h"\n')
        self.assert_finds("nobody includes a backend", "layers", self.root)

    def test_a_backend_may_not_look_inside_the_recorder(self):
        self.write("src/backends/one/a.c", '#include "record/rec_state.h"\n')
        self.assert_finds("backends include rec.h, rec_hot.h and rec_tools.h alone", "layers", self.root)

    def test_a_header_of_another_folder_without_its_name_is_found(self):
        self.write("src/views/view.h", "\n")
        self.write("src/read/a.c", '#include "view.h"\n')
        self.assert_finds("belongs to views/", "layers", self.root)

    def test_names_of_runtimes_are_found_in_comments_and_strings(self):
        for name in ("MPI_Send", "mpi", "OpenMPI", "clFinish", "cl_event", "opencl", "cudaMalloc", "CUDA", "hipMalloc",
                     "zeInit", "PMI_RANK", "SLURM_PROCID", "pocl", "libOpenCL.so", "Kokkos", "level zero"):
            self.write("src/analyze/a.c", "int x; /* as %s does */\n" % name)
            self.assert_finds("names a runtime", "layers", self.root)

    def test_ordinary_words_are_no_runtimes(self):
        self.write("src/analyze/a.c", "int clock, close, compile, cursor, simplify, chip, shipping, zero, ompf;\n"
                   "int client_count, clear_all, cut, relationship, size;\n")
        self.assert_clean("layers", self.root)

    def test_backends_may_name_their_runtime(self):
        self.write("src/backends/mpi/a.c", "/* MPI_Send */\n")
        self.assert_clean("layers", self.root)

    def test_a_new_folder_of_src_is_found(self):
        self.write("src/util/a.c", "\n")
        self.assert_finds("no folder of the house", "layers", self.root)

    def test_nothing_to_check_is_a_failure(self):
        self.write("src/x", "")
        self.assert_finds("no source files to check", "layers", self.root)


class Length(Check):
    def test_a_function_of_61_lines_is_found_and_60_are_fine(self):
        self.write("src/a.c", "int f(void)\n{\n" + "\tg();\n" * 57 + "}\n")
        self.assert_clean("length", self.root)
        self.write("src/a.c", "int f(void)\n{\n" + "\tg();\n" * 58 + "}\n")
        self.assert_finds("f has 61 lines", "length", self.root)

    def test_a_long_python_function_is_found(self):
        self.write("tools/a.py", "def f():\n" + "    g()\n" * 60)
        self.assert_finds("f has 61 lines", "length", self.root)

    def test_a_long_file_is_found(self):
        self.write("src/a.h", "int x;\n" * 601)
        self.assert_finds("601 lines", "length", self.root)

    def test_a_long_line_is_found_with_tabs_counted(self):
        self.write("src/a.c", "\t" * 10 + "x" * 40 + "\n")
        self.assert_clean("length", self.root)
        self.write("src/a.c", "\t" * 10 + "x" * 41 + "\n")
        self.assert_finds("121 columns", "length", self.root)


class Texts(Check):
    def test_a_source_without_licence_is_found(self):
        self.write("src/a.c", "int x;\n")
        self.assert_finds("no line", "texts", self.root)

    def test_a_machine_path_is_found_in_a_document(self):
        self.write("docs/A.md", "see /%s/x\n" % "root")
        self.assert_finds("path of one machine", "texts", self.root)

    def test_a_reminder_is_found(self):
        self.write("src/a.c", SPDX + "/* TO" + "DO later */\n")
        self.assert_finds("reminder", "texts", self.root)

    def test_a_ticket_number_is_found(self):
        self.write("docs/A.md", "fixes %s12\n" % "#")
        self.assert_finds("number of a ticket", "texts", self.root)

    def test_good_files_are_clean(self):
        self.write("src/a.c", SPDX + "#define X 1\n")
        self.write("docs/A.md", "# Title\n\n/usr/lib and /tmp are everywhere\n")
        self.assert_clean("texts", self.root)


class Alone(Check):
    def test_a_header_that_does_not_compile_alone_is_found(self):
        self.write("src/format/a.h", "#ifndef A\n#define A\nuint64_t x;\n#endif\n")
        self.assert_finds("does not compile alone", "alone", self.root, self.root)

    def test_an_installed_header_that_is_not_cxx_is_found(self):
        self.write("include/sonde/a.h",
                   "#ifndef A\n#define A\nstatic inline int *f(void *new) { return new; }\n#endif\n")
        output = self.assert_finds("does not compile alone", "alone", self.root, self.root)
        self.assertNotIn("c99", output)

    def test_a_missing_guard_is_found(self):
        self.write("src/format/a.h", "extern int x;\n")
        self.assert_finds("no include guard", "alone", self.root, self.root)

    def test_a_source_that_lives_on_what_another_includes_is_found(self):
        self.write("src/views/a.c", "int f(const char *text) { return (int)strlen(text); }\n")
        self.assert_finds("src/views/a.c: does not compile alone", "alone", self.root, self.root)


class Needed(Check):
    def test_a_clean_library_passes(self):
        self.library("libsonde.so", "extern char _r_debug __attribute__((weak)); void *f(void) { return &_r_debug; }")
        self.assert_clean("needed", self.root)

    def test_another_library_is_found(self):
        self.library("libsonde.so", "double sin(double); double f(double x) { return sin(x); }", "-lm")
        self.assert_finds("needs libm.so.6", "needed", self.root)

    def test_large_tls_is_found(self):
        self.library("libsonde-x.so", "__thread char x[129]; char *f(void) { return x; }")
        self.assert_finds("129 bytes of TLS", "needed", self.root)

    def test_a_strong_reference_to_the_loader_is_found(self):
        self.library("libsonde.so", "extern char _r_debug; void *f(void) { return &_r_debug; }")
        self.assert_finds("_r_debug strongly", "needed", self.root)

    def test_an_executable_stack_is_found(self):
        self.library("libsonde.so", "int x;", "-Wl,-z,execstack")
        self.assert_finds("executable stack", "needed", self.root)

    def test_a_library_that_can_be_unloaded_is_found(self):
        self.library("libsonde.so", "int x;")
        subprocess.run(["gcc", "-shared", "-o", self.path("libsonde.so"), self.path("libsonde.so.c")], check=True)
        self.assert_finds("libsonde.so: can be unloaded", "needed", self.root)

    def test_no_library_is_a_failure(self):
        self.assert_finds("no libraries to check", "needed", self.root)


class Exports(Check):
    def setUp(self):
        super().setUp()
        self.write("format/kinds.h", "#define SONDE_KINDS(X) X(other, other_api)\n"
                   "#define SONDE_ENUM_KIND(name, category) SONDE_KIND_##name,\n"
                   "enum sonde_kind { SONDE_KINDS(SONDE_ENUM_KIND) SONDE_KIND_COUNT };\n")
        self.write("backends/x/x.api", "X_Send(count:int, data:void*) int\n")
        self.write("backends/x/x.roles", "variant 0 c {name}\nvariant 1 f {lower}_ fortran alias={upper}\n* other\n")
        self.write("backends/x/attach.conf", "backend x\nfront libx.so\nexports xLayerInfo\n")

    def test_a_helper_that_is_visible_is_found(self):
        self.library("libsonde.so", "int rec_on(void) { return 1; } int helper(void) { return 2; }")
        output = self.assert_finds("libsonde.so: exports helper", "exports", self.root, self.path("backends"))
        self.assertNotIn("rec_on", output)

    def test_functions_of_the_api_in_all_spellings_are_fine(self):
        self.library("libsonde-x.so", "void X_Send(void) {} void x_send_(void) {} void X_SEND(void) {}"
                     "void xLayerInfo(void) {}")
        self.assert_clean("exports", self.root, self.path("backends"))

    def test_a_name_that_the_api_does_not_have_is_found(self):
        self.library("libsonde-x.so", "void X_Sent(void) {}")
        self.assert_finds("exports X_Sent", "exports", self.root, self.path("backends"))

    def test_a_missing_spelling_is_found(self):
        self.library("libsonde-x.so", "void X_Send(void) {} void x_send_(void) {} void xLayerInfo(void) {}")
        self.assert_finds("does not export X_SEND", "exports", self.root, self.path("backends"))


class CrossCompiler(Check):
    def entry(self, name):
        return {"directory": self.root, "file": self.path(name), "command":
                "cc -O2 -fPIC -o CMakeFiles/sonde_record.dir/%s.o -c %s" % (name, self.path(name))}

    def compile_one(self, text):
        self.write("a.c", text)
        self.write("compile_commands.json", json.dumps([self.entry("a.c")]))

    def test_code_for_one_machine_only_is_found(self):
        self.compile_one("long f(void) { return __builtin_ia32_rdtsc(); }\n")
        self.assert_finds("a.c", "aarch64", self.root, "aarch64-linux-gnu-gcc")

    def test_a_function_without_body_there_is_found(self):
        self.compile_one("#ifdef __x86_64__\nint g(void) { return 1; }\n#else\nint g(void);\n#endif\n"
                         "int f(void) { return g(); }\n")
        self.assert_finds("does not link", "aarch64", self.root, "aarch64-linux-gnu-gcc")

    def test_portable_code_passes(self):
        self.compile_one("int f(int x) { return x + 1; }\n")
        self.assert_clean("aarch64", self.root, "aarch64-linux-gnu-gcc")

    def test_a_missing_compiler_is_told_as_skipped(self):
        self.compile_one("int x;\n")
        self.assertEqual(self.check("aarch64", self.root, "no-such-gcc")[0], 77)


if not shutil.which("aarch64-linux-gnu-gcc"):
    CrossCompiler = unittest.skip("aarch64-linux-gnu-gcc is missing")(CrossCompiler)

if __name__ == "__main__":
    unittest.main(verbosity=2)
