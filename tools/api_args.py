# SPDX-License-Identifier: BSD-3-Clause
"""What is recorded of the arguments of an API's functions: from their types, and from <api>.args.

Grammar of <api>.args in docs/ADD-A-BACKEND.md. The types alone tell: integers, handles and addresses by
value, strings that are constant as text at the entry, one value behind a pointer that is not constant at
the exit. Everything else is said there, or is an address.
"""
import fnmatch
import re

from api_model import ApiError

ARGUMENTS_MAX = 32  # REC_ARGUMENTS_MAX
TYPES = {"i8": "S8", "i16": "S16", "i32": "S32", "i64": "S64", "u8": "U8", "u16": "U16", "u32": "U32",
         "u64": "U64", "f32": "F32", "f64": "F64", "ptr": "POINTER", "handle": "POINTER", "void": "VOID"}


class Enumeration:
    """Names of values, for all arguments of a type or for some by name."""

    def __init__(self, number, name, flags, values):
        self.number, self.name, self.flags, self.values = number, name, flags, values

    @property
    def text(self):
        return " ".join("%s=%s" % pair for pair in self.values)


class Recorded:
    """One struct rec_argument."""

    def __init__(self, name, index, when, kind):
        self.name, self.index, self.when, self.type = name, index, when, kind
        self.how, self.flags, self.length, self.part, self.names = "VALUE", [], 0, 0, 0


class Arguments:
    """All of an API's recorded arguments."""

    def __init__(self, api):
        self.api = api
        self.enumerations, self.applies = [], {}  # (type, argument or None) -> Enumeration
        self.parts = {}                           # type -> [(name, type class)]
        self.said = {}                            # (function, argument) -> (way, length, line)

    # ---- <api>.args

    def read(self, path, lines):
        for line, text in lines:
            words = text.split()
            take = {"enum": self.take_enum, "parts": self.take_parts}.get(words[0])
            if take:
                take(path, line, words[1:])
            elif words[0] in ("in", "out", "raw") and len(words) > 2:
                self.take_way(path, line, words)
            else:
                raise ApiError(path, line, "cannot read '%s'" % text)

    def take_enum(self, path, line, words):
        """enum NAME TYPE[:ARG,ARG]... [flags] [NAME=value...]"""
        values = [tuple(word.split("=")) for word in words if "=" in word]
        flags = "flags" in words
        enumeration = Enumeration(len(self.enumerations) + 1, words[0], flags, values)
        self.enumerations.append(enumeration)
        for word in words[1:]:
            if "=" in word or word == "flags":
                continue
            kind, _, args = word.partition(":")
            self.api.width(kind, path, line)
            known = {arg for function in self.api.functions.values() for arg in function.arg_index}
            for arg in args.split(",") if args else []:
                if arg != "return" and arg not in known:
                    raise ApiError(path, line, "no function has an argument '%s'" % arg)
            for arg in args.split(",") if args else [None]:
                self.applies[kind, arg] = enumeration

    def take_parts(self, path, line, words):
        """parts TYPE NAME:width..."""
        if not any(kind.replace("const ", "") in (words[0], words[0] + "*")
                   for function in self.api.functions.values() for _, kind in function.args):
            raise ApiError(path, line, "no function has an argument of type '%s*'" % words[0])
        self.parts[words[0] + "*"] = [tuple(word.split(":")) for word in words[1:]]
        for _, width in self.parts[words[0] + "*"]:
            if width not in TYPES:
                raise ApiError(path, line, "unknown width '%s'" % width)

    def take_way(self, path, line, words):
        """in|out|raw ARG[:LENGTH|?FLAG] FUNCTION..."""
        match = re.match(r"(\w+)(?:([:?])(\w+))?$", words[1])
        if not match:
            raise ApiError(path, line, "cannot read '%s'" % words[1])
        arg, mark, length = (part or "" for part in match.groups())
        for pattern in words[2:]:
            functions = [f for name, f in self.api.functions.items()
                         if fnmatch.fnmatchcase(name, pattern) and arg in f.arg_index]
            if not functions:
                raise ApiError(path, line, "no function of '%s' has an argument '%s'" % (pattern, arg))
            for function in functions:
                if length and not length.isdigit() and length not in function.arg_index:
                    raise ApiError(path, line, "%s has no argument '%s'" % (function.name, length))
                self.said[function.name, arg] = (words[0], mark, length)

    # ---- what follows

    def of_function(self, function):
        found = [self.result(function)]
        for index, (arg, kind) in enumerate(function.args):
            found += self.of_argument(function, arg, kind, index)
        order = {"IN": 0, "OUT": 1, "RESULT": 2}
        found = sorted((f for f in found if f), key=lambda f: order[f.when])  # stable: by place within
        if len(found) > ARGUMENTS_MAX:
            raise ApiError(self.api.name + ".args", 0, "%s has too many arguments" % function.name)
        return found

    def result(self, function):
        width = self.api.width(function.result)
        if width == "struct":
            return None
        recorded = Recorded("", 0, "RESULT", TYPES[width])
        if self.api.failure(function) != "never":
            self.name_values(recorded, function.result, "return")
        return recorded

    def name_values(self, recorded, kind, arg):
        enumeration = self.applies.get((kind, arg)) or self.applies.get((kind, None))
        if enumeration:
            recorded.names = enumeration.number
            recorded.flags += ["FLAGS"] if enumeration.flags else []

    def of_argument(self, function, arg, kind, index):
        way, mark, length = self.said.get((function.name, arg), (None, "", ""))
        width = self.api.width(kind)
        if width == "struct": # the word is its address
            return [self.pointed(function, "%s.%s" % (arg, part), index, "in", "", "", TYPES[of], n)
                    for n, (part, of) in enumerate(self.parts.get(kind + "*", []), 1)]
        if "*" not in kind:
            recorded = Recorded(arg, index, "IN", TYPES[width])
            recorded.flags += self.handle_flags(kind)
            self.name_values(recorded, kind, arg)
            return [recorded]
        target = re.sub(r"^const ", "", kind)[:-1].strip()
        constant = kind.startswith("const ")
        parts = self.parts.get(target + "*")
        if way != "raw" and parts and (way or not constant):
            return [self.pointed(function, "%s.%s" % (arg, part), index, way or "out", mark, length, TYPES[width], n)
                    for n, (part, width) in enumerate(parts, 1)]
        simple = self.simple(target) or (way == "out" and target == "void*") # an address that the function gives
        if way is None:
            way = "raw" if not simple else "in" if constant and target == "char" else \
                "raw" if constant or target == "char" else "out"
        if way == "raw" or not simple:
            recorded = Recorded(arg, index, "IN", "POINTER")
            recorded.flags += ["BUFFER"] if target == "void" else []
            self.name_values(recorded, target, arg)
            return [recorded]
        recorded = self.pointed(function, arg, index, way, mark, length,
                                "STRING" if target == "char" else TYPES[self.api.width(target)], 0)
        recorded.flags += self.handle_flags(target)
        recorded.flags += ["ERROR"] if function.keys.get("error") == index else []
        self.name_values(recorded, target, arg)
        return [recorded]

    def handle_flags(self, kind):
        width = self.api.width(kind)
        return {"handle": ["HANDLE"], "ptr": ["OBJECT"] if kind in self.api.types else []}.get(width, [])

    def simple(self, target):
        """Can a value of the type be recorded?"""
        if "*" in target or target not in self.api.types:
            return False
        return self.api.types[target] not in ("struct", "void")

    def pointed(self, function, name, index, way, mark, length, kind, part):
        recorded = Recorded(name, index, way.upper(), kind)
        recorded.part = part
        recorded.how = {":": "ARRAY", "?": "OPTIONAL"}.get(mark, "POINTED")
        if length.isdigit():
            recorded.length = int(length)
            recorded.flags.append("LENGTH_FIXED")
        elif length:
            recorded.length = function.arg_index[length]
            of = function.args[recorded.length][1]
            recorded.flags += ["LENGTH_POINTED"] if "*" in of else []
            width = self.api.width(re.sub(r"^const |\*", "", of).strip())
            recorded.flags += ["LENGTH_WIDE"] if width in ("i64", "u64") else []
        elif kind == "STRING":
            strings = [i for i, (_, k) in enumerate(function.args) if re.match(r"(const )?char\*", k)]
            recorded.length = len(strings) - strings.index(index)
        return recorded


def reference_index(function, index):
    """Word of an argument in languages that pass by reference, or None."""
    if function.passed is None:
        return index
    name = function.args[index][0]
    return function.passed.index(name) if name in function.passed else None
