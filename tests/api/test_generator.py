#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Unit tests of the API generator: what .api, .roles and attach.conf may say, and what becomes of it."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

SRC = os.path.abspath(os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", ".."))
TOOLS = os.path.join(SRC, "tools")
KINDS = os.path.join(SRC, "src", "format", "kinds.h")
sys.path.insert(0, TOOLS)
sys.dont_write_bytecode = True

import api_extract  # noqa: E402
import apigen  # noqa: E402
from api_attach import Attach, attach_text  # noqa: E402
from api_model import ApiError  # noqa: E402
from api_table import Absent, table_text  # noqa: E402
from api_wrap import Wrapper  # noqa: E402

API = """
type handle_t handle
type pair struct
struct pair { a:f64, b:i32 }
w_copy(to:void*, from:const void*, bytes:size_t) int
w_copy_c(to:void*, from:const void*, bytes:size_t) int
w_name(name:const char*, text:char*, length:int*) int
w_start(argc:int*, argv:char***) int
w_new(scale:double, pair:pair) handle_t
w_say(level:int, ...) int
w_time() double
dispatch 0 w_copy
dispatch 1 w_other
"""
HEAD = """variant 0 c {name} skip=w_start
result int fails=nonzero absent=-1
result handle fails=null absent=0
keys to bytes
marks wide
choice family move
* other
"""


class Folder:
    """A backend's folder with the given content."""

    def __init__(self, roles=HEAD, api=API, attach="backend w\nfront libw.so\n", args=""):
        self.path = os.path.join(tempfile.mkdtemp(), "w")
        os.mkdir(self.path)
        for name, text in (("w.api", api), ("w.roles", roles), ("attach.conf", attach), ("w.args", args)):
            with open(os.path.join(self.path, name), "w") as stream:
                stream.write(text)

    def __enter__(self):
        return self

    def __exit__(self, *unused):
        shutil.rmtree(os.path.dirname(self.path))

    def load(self):
        return apigen.load(self.path, KINDS)


def load(roles=HEAD, api=API):
    with Folder(roles, api) as folder:
        return folder.load()


class RecordedArguments(unittest.TestCase):
    """What is recorded of arguments, by their types and by .args."""

    api = API + "type flags_t u32\nw_list(count:int, list:const int*, got:int*, mode:flags_t, to:void*) int\n"

    def recorded(self, name, args=""):
        with Folder(HEAD, self.api, args=args) as folder:
            api = folder.load()
        return [(r.when, r.name, r.type, r.how, r.length, sorted(r.flags), r.names)
                for r in api.arguments.of_function(api.functions[name])]

    def fails(self, line, text):
        with Folder(HEAD, self.api, args="\n" + line + "\n") as folder:
            with self.assertRaises(ApiError) as caught:
                folder.load()
        self.assertTrue(str(caught.exception).startswith(os.path.join(folder.path, "w.args") + ":2: "),
                        str(caught.exception))
        self.assertIn(text, str(caught.exception))

    def test_types_alone(self):
        self.assertEqual(self.recorded("w_list"), [
            ("IN", "count", "S32", "VALUE", 0, [], 0), ("IN", "list", "POINTER", "VALUE", 0, [], 0),
            ("IN", "mode", "U32", "VALUE", 0, [], 0), ("IN", "to", "POINTER", "VALUE", 0, ["BUFFER"], 0),
            ("OUT", "got", "S32", "POINTED", 0, [], 0), ("RESULT", "", "S32", "VALUE", 0, [], 0)])

    def test_text_floats_and_structures(self):
        self.assertEqual([r[:4] for r in self.recorded("w_name")], [
            ("IN", "name", "STRING", "POINTED"), ("IN", "text", "POINTER", "VALUE"),
            ("OUT", "length", "S32", "POINTED"), ("RESULT", "", "S32", "VALUE")])
        self.assertEqual([r[:3] for r in self.recorded("w_new")],
                         [("IN", "scale", "F64"), ("RESULT", "", "POINTER")])

    def test_parts_of_a_structure_by_value(self):
        self.assertEqual([r[:4] for r in self.recorded("w_new", "parts pair a:f64 b:i32\n")],
                         [("IN", "scale", "F64", "VALUE"), ("IN", "pair.a", "F64", "POINTED"),
                          ("IN", "pair.b", "S32", "POINTED"), ("RESULT", "", "POINTER", "VALUE")])

    def test_lists_and_names(self):
        recorded = self.recorded("w_list", "in list:count w_list\nraw got w_*\nenum mode flags_t flags A=1 B=2\n"
                                 "enum fault int:return BAD=-1\n")
        self.assertIn(("IN", "list", "S32", "ARRAY", 0, [], 0), recorded)
        self.assertIn(("IN", "got", "POINTER", "VALUE", 0, [], 0), recorded)
        self.assertIn(("IN", "mode", "U32", "VALUE", 0, ["FLAGS"], 1), recorded)
        self.assertEqual(("RESULT", "", "S32", "VALUE", 0, [], 2), recorded[-1])

    def test_length_that_is_pointed_to_fixed_or_a_flag(self):
        self.assertIn(("OUT", "list", "S32", "ARRAY", 2, ["LENGTH_POINTED"], 0),
                      self.recorded("w_list", "out list:got w_list"))
        self.assertIn(("IN", "list", "S32", "ARRAY", 3, ["LENGTH_FIXED"], 0),
                      self.recorded("w_list", "in list:3 w_list"))
        self.assertIn(("OUT", "got", "S32", "OPTIONAL", 0, [], 0), self.recorded("w_list", "out got?count w_list"))

    def test_what_does_not_exist(self):
        self.fails("in lsit:count w_list", "no function of 'w_list' has an argument 'lsit'")
        self.fails("in list:cuont w_list", "w_list has no argument 'cuont'")
        self.fails("in list:count w_lsit", "no function of 'w_lsit'")
        self.fails("enum mode flag_t A=1", "unknown type 'flag_t'")
        self.fails("parts pear a:i32", "no function has an argument of type 'pear*'")
        self.fails("parts int a:i33", "unknown width 'i33'")
        self.fails("enum fault int:cuont BAD=1", "no function has an argument 'cuont'")
        self.fails("in list:count: w_list", "cannot read 'list:count:'")
        self.fails("inn list w_list", "cannot read 'inn list w_list'")


class RolesErrors(unittest.TestCase):
    """Whatever does not exist stops the build and names file and line."""

    def fails(self, line, text, head=HEAD):
        with Folder(head + line + "\n") as folder:
            with self.assertRaises(ApiError) as caught:
                folder.load()
        wanted = "%s:%d: " % (os.path.join(folder.path, "w.roles"), len(head.splitlines()) + 1)
        self.assertTrue(str(caught.exception).startswith(wanted), str(caught.exception))
        self.assertIn(text, str(caught.exception))

    def test_unknown_function(self):
        self.fails("w_cpoy copy", "unknown function 'w_cpoy'")

    def test_pattern_without_a_match(self):
        self.fails("x_* copy", "no function matches 'x_*'")

    def test_unknown_argument(self):
        self.fails("w_copy copy bytes=size", "w_copy has no argument 'size'")

    def test_argument_that_no_function_of_a_pattern_has(self):
        self.fails("w_* bytes=size", "has an argument 'size'")

    def test_unknown_kind(self):
        self.fails("w_copy copies", "unknown word 'copies'")

    def test_unknown_key(self):
        self.fails("w_copy size=bytes", "unknown key 'size=bytes'")

    def test_unknown_choice(self):
        self.fails("w_copy family=mvoe", "unknown family 'mvoe'")

    def test_unknown_group(self):
        self.fails("w_copy $gruop", "unknown group '$gruop'")

    def test_two_lines_for_a_function(self):
        self.fails("w_copy fill", "has a line already: 8", HEAD + "w_copy copy\n")

    def test_missing_variant_of_a_name(self):
        self.fails("w_name[_c] other", "unknown function 'w_name_c'")

    def test_absent_value_that_is_no_number(self):
        self.fails("w_copy absent=none", "'none' is not a number")

    def test_hot_function_with_a_hook_before_it(self):
        with self.assertRaises(ApiError) as caught:
            load(HEAD + "w_copy copy hot enter\n")
        self.assertIn("cannot be hot", str(caught.exception))

    def test_function_without_a_kind(self):
        with self.assertRaises(ApiError) as caught:
            load("variant 0 c {name}\nw_copy copy\n")
        self.assertIn("has no kind", str(caught.exception))

    def test_command_line_prints_one_line_and_fails(self):
        with Folder(HEAD + "w_cpoy copy\n") as folder:
            done = subprocess.run([sys.executable, os.path.join(TOOLS, "apigen.py"), "backend", folder.path, "--kinds",
                                   KINDS, "--out", folder.path], stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        self.assertEqual(done.returncode, 1)
        self.assertEqual(done.stderr.decode().count("\n"), 1)
        self.assertIn("w.roles:8: unknown function", done.stderr.decode())


class ApiErrors(unittest.TestCase):
    def fails(self, line, text):
        with self.assertRaises(ApiError) as caught:
            load(api=line + "\n")
        self.assertIn("w.api:1: " + text, str(caught.exception))

    def test_unknown_type(self):
        self.fails("w_copy(to:w_queue) int", "unknown type 'w_queue'")

    def test_unreadable_line(self):
        self.fails("w_copy to void*", "cannot read")

    def test_function_that_returns_a_structure(self):
        with self.assertRaises(ApiError) as caught:
            load(api="type pair struct\nstruct pair { a:f64, b:i32 }\nw_pair(a:int) pair\n")
        self.assertIn("w.api:3: 'w_pair' returns a structure", str(caught.exception))

    def test_function_twice(self):
        with self.assertRaises(ApiError) as caught:
            load(api="w_a() int\nw_a() int\n")
        self.assertIn("w.api:2: function 'w_a' stands twice", str(caught.exception))


class Roles(unittest.TestCase):
    def test_later_lines_add_and_take_back(self):
        api = load(HEAD + "w_copy* copy leave wide to=to\nw_copy_c fill -leave -to bytes=bytes\n")
        plain, large = api.functions["w_copy"], api.functions["w_copy_c"]
        self.assertEqual((plain.kind, plain.flags, plain.keys, plain.marks), ("copy", {"leave"}, {"to": 0}, {"wide"}))
        self.assertEqual((large.kind, large.flags, large.keys, large.marks), ("fill", set(), {"bytes": 2}, {"wide"}))

    def test_suffix_in_brackets_means_both(self):
        api = load(HEAD + "w_copy[_c] copy\n")
        self.assertEqual({api.functions[n].kind for n in ("w_copy", "w_copy_c")}, {"copy"})

    def test_group_stands_for_its_words(self):
        api = load(HEAD + "group g copy \\\n\tto=to\nw_copy $g bytes=bytes # words\n")
        self.assertEqual(api.functions["w_copy"].keys, {"to": 0, "bytes": 2})

    def test_failure_follows_the_result_type_unless_said(self):
        api = load(HEAD + "w_copy other fails=never\n")
        rules = {name: api.failure(f) for name, f in api.functions.items()}
        self.assertEqual([rules[n] for n in ("w_copy", "w_copy_c", "w_new", "w_time")],
                         ["never", "nonzero", "null", "never"])

    def test_failure_may_except_a_value(self):
        api = load(HEAD + "w_copy other fails=nonzero_but_7\n")
        self.assertEqual(Wrapper(api, api.symbols[0]).failed(False), "((int32_t)result != 0 && (int32_t)result != 7)")
        for rule in ("nonzero_but_", "nonzero_but_x", "past_one"):
            self.assertRaises(ApiError, load, HEAD + "w_copy other fails=%s\n" % rule)


class Symbols(unittest.TestCase):
    FORTRAN = HEAD + "variant 1 f {lower}_ fortran alias={lower},{upper} skip=*_c\n" \
                     "variant 1 f {lower::-2}_large_ fortran only=*_c\nw_start other passed=-\n"

    def of(self, api, name):
        return next(s for s in api.symbols if s.name == name)

    def test_fortran_has_an_error_argument_and_hidden_lengths(self):
        symbol = self.of(load(self.FORTRAN), "w_name_")
        self.assertEqual((symbol.error_word, symbol.words), (3, 6))
        self.assertEqual(symbol.exports, ["w_name_", "w_name", "W_NAME"])

    def test_fortran_form_with_other_arguments(self):
        symbol = self.of(load(self.FORTRAN), "w_start_")
        self.assertEqual((symbol.error_word, symbol.words), (0, 1))

    def test_name_of_a_large_variant(self):
        symbol = self.of(load(self.FORTRAN), "w_copy_large_")
        self.assertEqual((symbol.function.name, symbol.exports), ("w_copy_c", ["w_copy_large_"]))

    def test_skipped_function_has_no_symbol(self):
        self.assertNotIn("w_start", [s.name for s in load().symbols])

    def test_layer_covers_the_dispatch_table_and_exports_nothing(self):
        api = load(HEAD + "variant 1 layer {name} loader\n")
        layer = [s for s in api.symbols if s.variant.loader]
        self.assertEqual([(s.name, s.exports) for s in layer], [("w_copy", [])])
        with Folder() as folder:
            text = table_text(api, Attach(os.path.join(folder.path, "attach.conf")))
        self.assertIn("w_layer_symbol[] = {%d, UINT16_MAX}" % layer[0].number, text)
        self.assertIn(".layer_variant = 1", text)

    def test_calls_that_are_called_back_around_have_two_entries_and_the_widths_of_their_arguments(self):
        api = load(HEAD + "variant 1 told {name} around only=w_copy,w_name\n")
        told = [s for s in api.symbols if s.variant.around]
        self.assertEqual([(s.name, s.exports) for s in told], [("w_copy", []), ("w_name", [])])
        with Folder() as folder:
            text = table_text(api, Attach(os.path.join(folder.path, "attach.conf")))
        self.assertIn(".long %d, w_before_1 - w_around, w_after_1 - w_around\\n.byte 8, 8, 8, 0" % told[1].number, text)

    def test_nothing_calls_back_around_floating_arguments(self):
        api = load(HEAD + "variant 1 told {name} around only=w_new\n")
        with Folder() as folder, self.assertRaisesRegex(ApiError, "'w_new' has floating arguments"):
            table_text(api, Attach(os.path.join(folder.path, "attach.conf")))


class Wrappers(unittest.TestCase):
    def text(self, roles, name):
        api = load(HEAD + roles)
        return Wrapper(api, next(s for s in api.symbols if s.name == name)).text()

    def test_floating_and_structure_arguments_keep_their_type(self):
        self.assertIn("w_new(double a0, struct w_by_value_pair a1)", self.text("", "w_new"))

    def test_floating_result(self):
        self.assertIn("REC_EXPORT double w_time(void)", self.text("", "w_time"))

    def test_hot_function_has_an_inline_path(self):
        text = self.text("w_copy copy hot\n", "w_copy")
        self.assertIn("rec_fast_enter", text)
        self.assertIn("(int32_t)result != 0", text)

    def test_hot_query_is_counted_and_jumped_to(self):
        text = self.text("w_time query hot\n", "w_time")
        self.assertIn("hist[0]++", text)
        self.assertNotIn("rec_fast_enter", text)

    def test_hooks_are_called_where_asked(self):
        text = self.text("w_copy copy leave\n", "w_copy")
        self.assertIn("w_backend.leave(&call, args, result)", text)
        self.assertNotIn("w_backend.enter", text)

    def test_hook_may_put_another_error_argument_in_place(self):
        text = self.text("variant 1 f {name}_ fortran\nw_copy copy enter\n", "w_copy_")
        self.assertIn("rec_word_failed(args[3])", text)

    def test_plain_wrappers_of_a_shape_share_a_function(self):
        api = load(HEAD + "variant 1 p {name}_p\nvariant 2 f {name}_ fortran\nw_copy copy\n")
        shapes = {s.name: Wrapper(api, s).shape() for s in api.symbols}
        self.assertEqual(shapes["w_copy"], shapes["w_copy_p"])
        self.assertNotEqual(shapes["w_copy"], shapes["w_copy_"])
        self.assertIsNone(shapes["w_new"])

    def test_hooks_make_another_shape(self):
        hooked, plain = (load(HEAD + "w_copy copy%s\n" % word) for word in (" leave", ""))
        self.assertNotEqual(*[Wrapper(api, next(s for s in api.symbols if s.name == "w_copy")).shape()
                              for api in (hooked, plain)])


class Tables(unittest.TestCase):
    def test_absent_answers(self):
        api = load(HEAD + "variant 1 f {name}_ fortran\nw_name other absent=3 absent.length=7\n")
        absent = Absent(api)
        of = {s.name: absent.functions[absent.table[s.number]] for s in api.symbols}
        self.assertIn("*(int32_t *)a2 = 7;", of["w_name"])
        self.assertIn("return (rec_word)3;", of["w_name"])
        self.assertIn("*(int32_t *)a3 = 3;", of["w_name_"])
        self.assertIn("return (double)0;", of["w_time"])

    def test_exports_are_sorted_by_bytes(self):
        api = load(HEAD + "variant 1 f {name}_ fortran alias={upper}\n")
        with Folder() as folder:
            text = table_text(api, Attach(os.path.join(folder.path, "attach.conf")))
        pool = {}
        offset = 0
        for line in text.split("static const char pool[] =")[1].split(";")[0].splitlines():
            name = line.strip().strip('"')[:-2]
            if line.strip():
                pool[offset] = name
                offset += len(name) + 1
        rows = [l for l in text.splitlines() if l.strip().startswith('".long') and "w_exports" in l]
        names = [pool[int(row.split()[1].rstrip(","))] for row in rows]
        self.assertEqual(len(names), sum(len(s.exports) for s in api.symbols))
        self.assertEqual(names, sorted(names))
        self.assertIn("W_COPY", names)


class AttachConf(unittest.TestCase):
    def read(self, text):
        with Folder(attach=text) as folder:
            return Attach(os.path.join(folder.path, "attach.conf"))

    def test_everything_reaches_the_table(self):
        attach = self.read("backend w\nlayer 2\nfront libw.so libw_\nruntime libw\npreload libsonde-w.so\n"
                           "env append W_LAYERS @LIBDIR@/x.so\nenv set W_TOOL @LIBDIR@/y.so\n"
                           "env words W_TOOLS @LIBDIR@/z.so\n"
                           "rank W_RANK size=W_SIZE needs=W_STEP\njob W_JOB W_STEP\n"
                           "launcher wrun\nstate real runtime on CPU\nopened libw.so.1\nsearch /opt/w*/lib\n"
                           "device /dev/w* /dev/v\ndevice shared /dev/any\n")
        text = attach_text([attach])
        for piece in ('"libw_",', '{"W_LAYERS", "@LIBDIR@/x.so", ":"}',
                      '{"W_TOOL", "@LIBDIR@/y.so", NULL}',
                      '{"W_TOOLS", "@LIBDIR@/z.so", " "}', '.rank = "W_RANK"', '.needs = "W_STEP"',
                      '{{"W_JOB", "W_STEP"}}', '"wrun"', '{"w", "libsonde-w.so", w_front', '"real runtime on CPU"',
                      '"/opt/w*/lib"', '"libw.so.1",', '{{"/dev/w*", "/dev/v"}, 0}',
                      '{{"/dev/any"}, 1}', 'w_argument, w_device}'):
            self.assertIn(piece, text)

    def test_a_backend_says_what_it_was_run_on(self):
        with self.assertRaises(ApiError) as caught:
            attach_text([self.read("backend w\nfront libw.so\n")])
        self.assertIn("real hardware", str(caught.exception))

    def test_mistakes_name_the_line(self):
        for line in ("frnot x", "env replace A b", "rank R sise=S", "job a b c d e", "preload", "state good",
                     "device dev/w", "device /a /b /c /d /e", "device shared", "device shared dev/w"):
            with self.assertRaises(ApiError) as caught:
                self.read("backend w\nfront libw.so\n" + line + "\n")
            self.assertIn("attach.conf:3: ", str(caught.exception))


class Extract(unittest.TestCase):
    def test_types_get_one_spelling(self):
        for spelled, wanted in (("const char *restrict", "const char*"), ("int (*)[3]", "int[3]*"),
                                ("void (*)(void *, int)", "function*"), ("const int", "int"), ("char ***", "char***")):
            self.assertEqual(api_extract.normal_type(spelled), wanted)

    def test_type_that_differs_between_sources_is_a_handle(self):
        one, two = api_extract.Source("one", "/"), api_extract.Source("two", "/")
        one.types, two.types = {"W": "i32", "N": "i64"}, {"W": "ptr", "N": "i64"}
        self.assertEqual(api_extract.merge_types([one, two], ["H"]), {"W": "handle", "N": "i64", "H": "handle"})

    def test_prototype_that_differs_between_sources_is_an_error(self):
        one, two = api_extract.Source("one", "/"), api_extract.Source("two", "/")
        one.functions = {"f": api_extract.Function("f", "int", [("a", "int")], False)}
        two.functions = {"f": api_extract.Function("f", "int", [], False)}
        with self.assertRaises(api_extract.ExtractError):
            api_extract.merge_functions([one, two])


if __name__ == "__main__":
    unittest.main()
