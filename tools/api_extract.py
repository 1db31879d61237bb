#!/usr/bin/env python3
# SPDX-License-Identifier: BSD-3-Clause
"""Extract the prototypes of an API from its vendor's headers into <api>.api.

For maintainers: needs clang and the vendor's headers; the build needs neither, because the
result is checked in. What to read stands in <api>.sources beside it:

    match REGEX            functions that belong to the API
    source NAME            starts a source; the first one decides argument names
        flags COMMAND      its -I and -D words are passed to clang; paths are relative to the folder
        include HEADER     in this order
        define NAME VALUE
        version MACRO ...  integer or string macros, joined by dots
        dispatch STRUCT    a table of function pointers whose order is part of the API
        tables HEADER STRUCT ...   several, one behind the other, of a header for C++; their members end in _fn
    handle TYPE            a word that each library defines for itself

Usage: api_extract.py [--check] src/backends/<api>
--check compares with the file, as far as headers are there; exit status 77 when clang or all of them are missing.
"""
import argparse
import json
import os
import re
import shlex
import subprocess
import sys

CLANG = os.environ.get("CLANG", "clang-19")

SCALARS = {
    "char": "i8", "signed char": "i8", "unsigned char": "u8", "_Bool": "u8", "bool": "u8",
    "short": "i16", "unsigned short": "u16", "int": "i32", "unsigned int": "u32",
    "long": "i64", "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64",
    "float": "f32", "double": "f64", "void": "void",
}


class ExtractError(Exception):
    """What is wrong with a sources file or a header, for people."""


class MissingError(ExtractError):
    """clang or a vendor's header is not on this machine."""


class Source:
    """One vendor's headers."""

    def __init__(self, name, folder):
        self.name, self.folder = name, folder
        self.flags, self.includes, self.defines, self.version_macros = [], [], [], []
        self.dispatch, self.tables = None, []
        self.version = ""
        self.enums, self.tags = set(), {}  # enums without a tag; structures behind types that are passed by value
        self.functions, self.types, self.structs, self.table = {}, {}, {}, []


class Function:
    """A prototype: types are spelled as the header does, without parameter names."""

    def __init__(self, name, result, args, variadic):
        self.name, self.result, self.args, self.variadic = name, result, args, variadic
        self.only = ""

    def line(self):
        args = ["%s:%s" % (name, kind) for name, kind in self.args]
        if self.variadic:
            args.append("...")
        only = " @%s" % self.only if self.only else ""
        return "%s(%s) %s%s" % (self.name, ", ".join(args), self.result, only)


def read_sources(path):
    """Parse <api>.sources into (match, [Source], handles)."""
    match, sources, handles = None, [], []
    folder = os.path.dirname(os.path.abspath(path))
    with open(path) as stream:
        for number, line in enumerate(stream, 1):
            words = line.split("#")[0].split()
            if not words:
                continue
            key, rest = words[0], words[1:]
            if key == "match":
                match = re.compile(rest[0])
            elif key == "source":
                sources.append(Source(rest[0], folder))
            elif key == "handle":
                handles += rest
            elif key in ("flags", "include", "define", "version", "dispatch", "tables") and sources:
                read_source_line(sources[-1], key, rest)
            else:
                raise ExtractError("%s:%d: unknown line '%s'" % (path, number, key))
    return match, sources, handles


def read_source_line(source, key, rest):
    if key == "flags":
        source.flags = rest
    elif key == "include":
        source.includes += rest
    elif key == "define":
        source.defines.append(" ".join(rest))
    elif key == "version":
        source.version_macros = rest
    elif key == "tables":
        source.tables = rest
    else:
        source.dispatch = rest[0]


def clang_words(source):
    """Compiler flags of a source, from its own compiler wrapper where it has one."""
    if not source.flags:
        return []
    try:
        shown = subprocess.run(source.flags, stdout=subprocess.PIPE, check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        raise MissingError("source %s: %s" % (source.name, error))
    return [word for word in shlex.split(shown.stdout.decode()) if word[:2] in ("-I", "-D")]


def run_clang(source, extra, text, language="c"):
    command = [CLANG, "-x", language] + clang_words(source) + extra + ["-"]
    try:
        done = subprocess.run(command, input=text.encode(), stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              cwd=source.folder)
    except OSError as error:
        raise MissingError("source %s: %s" % (source.name, error))
    if done.returncode:
        text = done.stderr.decode().strip()
        kind = MissingError if "file not found" in text else ExtractError
        raise kind("source %s: %s" % (source.name, text))
    return done.stdout.decode()


def source_text(source):
    return "".join("#define %s\n" % d for d in source.defines) + \
        "".join("#include <%s>\n" % i for i in source.includes)


def read_version(source):
    """Expand the version macros with the preprocessor."""
    if not source.version_macros:
        return ""
    marks = "".join("sonde_version %s\n" % macro for macro in source.version_macros)
    text = run_clang(source, ["-E", "-P"], source_text(source) + marks)
    values = re.findall(r"^sonde_version (.*)$", text, re.M)
    return ".".join(value.strip().strip('"') for value in values)


def normal_type(text):
    """One spelling without commas and parentheses, which the line format uses itself."""
    text = re.sub(r"\b(struct|enum|union)\s+", r"\1 ", text)
    if re.search(r"\(\*\)\s*\(", text):
        return "function*"
    array = re.match(r"(.*?)\s*\(\*\)((?:\[\d*\])+)$", text)
    if array:
        return array.group(1) + array.group(2) + "*"
    text = re.sub(r"\s*\*\s*(?:const|restrict|__restrict)?", "*", text)
    return re.sub(r"^const (?=[^*]*$)", "", text).strip()


def scalar_class(kind):
    """Width class of a by-value type, from clang's desugared spelling."""
    text = kind.get("desugaredQualType", kind["qualType"])
    text = re.sub(r"\bconst\b", "", text).strip()
    if "*" in text or "[" in text:
        return "ptr"
    if text.startswith("enum "):
        return "u32"
    if text.startswith("struct "):
        return "struct"
    return SCALARS.get(text)


def note_type(source, spelling, kind):
    """Remember the width of a type that is passed by value; plain C types need no line."""
    if "*" in spelling or spelling in SCALARS:
        return
    width = "u32" if spelling in source.enums else scalar_class(kind)
    if width is None and "struct " + spelling in source.structs:
        width = "struct"
        kind = {"qualType": "struct " + spelling}
    if width is None:
        raise ExtractError("source %s: cannot tell the width of '%s'" % (source.name, spelling))
    source.types[spelling] = width
    if width == "struct":
        source.tags[spelling] = kind.get("desugaredQualType", kind["qualType"]).replace("const ", "").strip()


def result_kind(node):
    """Type of a function's result; clang gives it only inside the function's type."""
    text = node["type"]["qualType"]
    depth = 0
    for index in range(len(text) - 1, -1, -1):
        depth += {")": 1, "(": -1}.get(text[index], 0)
        if depth == 0 and text[index] == "(":
            return text[:index].strip()
    raise ExtractError("no parameter list in '%s'" % text)


def take_function(source, node, typedefs):
    args = []
    for item in node.get("inner", []):
        if item["kind"] != "ParmVarDecl":
            continue
        spelling = normal_type(item["type"]["qualType"])
        note_type(source, spelling, item["type"])
        args.append((item.get("name") or "arg%d" % len(args), spelling))
    result = result_kind(node)
    spelling = normal_type(result)
    note_type(source, spelling, typedefs.get(result, {"qualType": result}))
    source.functions[node["name"]] = Function(node["name"], spelling, args, node.get("variadic", False))


def flat_field(source, name, kind):
    """A field as (name, width class); an array as that many fields, a structure as its own fields."""
    text = kind.get("desugaredQualType", kind["qualType"])
    inner = source.structs.get(text, source.structs.get("struct " + text))
    if inner:
        return [("%s_%s" % (name, field), width) for field, width in inner]
    array = re.match(r"([^\[]*)\[(\d+)\]$", kind.get("desugaredQualType", kind["qualType"]))
    if not array:
        return [(name, scalar_class(kind))]
    item = array.group(1).strip()
    fixed = re.match(r"(u?)int(\d+)_t$", item)  # clang does not say what is behind the name of an array's items
    item = "%s%s" % (fixed.group(1) or "i", fixed.group(2)) if fixed else scalar_class({"qualType": item})
    return [("%s%d" % (name, i), item) for i in range(int(array.group(2)))]


def take_struct(source, node):
    """Fields of a struct: the dispatch table, and structs that are passed by value."""
    fields = [(item.get("name", ""), item["type"]) for item in node.get("inner", []) if item["kind"] == "FieldDecl"]
    if node["name"] == source.dispatch:
        source.table = [name for name, _ in fields]
    else:
        source.structs["struct " + node["name"]] = [
            field for name, kind in fields for field in flat_field(source, name, kind)]


def extract(source, match):
    """Fill a source from its headers."""
    source.version = read_version(source)
    tree = json.loads(run_clang(source, ["-fsyntax-only", "-Xclang", "-ast-dump=json"], source_text(source)))
    typedefs, nameless = {}, {}
    for node in tree["inner"]:
        if node["kind"] == "TypedefDecl":
            typedefs[node["name"]] = node["type"]
            # an enum or a structure without a tag is spelled as its typedef
            tag = node["inner"][0].get("ownedTagDecl", {}) if node.get("inner") else {}
            if tag.get("kind") == "EnumDecl":
                source.enums.add(node["name"])
            elif tag.get("id") in nameless:
                take_struct(source, dict(nameless[tag["id"]], name=node["name"]))
        elif node["kind"] == "RecordDecl" and node.get("name") and node.get("completeDefinition"):
            take_struct(source, node)
        elif node["kind"] == "RecordDecl" and node.get("completeDefinition"):
            nameless[node["id"]] = node
        elif node["kind"] == "FunctionDecl" and match.search(node["name"]):
            take_function(source, node, typedefs)
    if not source.functions:
        raise ExtractError("source %s: no function matches" % source.name)
    if source.tables:
        take_tables(source)


def take_tables(source):
    """Tables in a header that only C++ can read: names of the functions that their members point to."""
    text = source_text(source) + "#include <%s>\n" % source.tables[0]
    tree = json.loads(run_clang(source, ["-fsyntax-only", "-Xclang", "-ast-dump=json"], text, "c++"))
    found = {node["name"]: node for node in tree["inner"]
             if node["kind"] == "CXXRecordDecl" and node.get("name") and node.get("completeDefinition")}
    for name in source.tables[1:]:
        if name not in found:
            raise ExtractError("source %s: no definition of '%s'" % (source.name, name))
        source.table += [item["name"][:-3] for item in found[name].get("inner", [])
                         if item["kind"] == "FieldDecl" and item["name"].endswith("_fn")]


def merge_types(sources, handles):
    """A type whose width differs between libraries is a handle."""
    types = {}
    for source in sources:
        for name, width in source.types.items():
            types[name] = width if types.get(name, width) == width else "handle"
    for name in handles:
        types[name] = "handle"
    return types


def merge_functions(sources):
    functions = {}
    for source in sources:
        for name, function in source.functions.items():
            known = functions.get(name)
            if known is None:
                function.only = source.name if len(sources) > 1 else ""
                functions[name] = function
                continue
            known.only = ""
            if (len(known.args), known.variadic) != (len(function.args), function.variadic):
                raise ExtractError("%s differs between sources: %s / %s" % (name, known.line(), function.line()))
    return functions


def render(api, sources, handles):
    functions = merge_functions(sources)
    types = merge_types(sources, handles)
    lines = ["# SPDX-License-Identifier: BSD-3-Clause",
             "# Prototypes of %s, extracted by tools/api_extract.py: do not edit, see docs/ADD-A-BACKEND.md." % api]
    lines += [("source %s %s" % (s.name, s.version)).strip() for s in sources]
    lines.append("")
    lines += ["type %s %s" % (name, types[name]) for name in sorted(types)]
    used = {name for name, width in types.items() if width == "struct"}
    for source in sources:
        for name in sorted(used & set(source.tags)):
            fields = source.structs.get(source.tags[name])
            if fields is None:
                raise ExtractError("source %s: no definition of '%s'" % (source.name, name))
            line = "struct %s { %s }" % (name, ", ".join("%s:%s" % field for field in fields))
            if line not in lines:
                lines.append(line)
    lines.append("")
    lines += [functions[name].line() for name in sorted(functions)]
    for source in sources:
        if source.table:
            lines.append("")
        lines += ["dispatch %d %s" % entry for entry in enumerate(source.table)]
    return "\n".join(lines) + "\n"


def extract_all(sources, match, some):
    """Fill the sources; some: those of which the headers are here will do."""
    found, missing = [], None
    for source in sources:
        try:
            extract(source, match)
            found.append(source)
        except MissingError as error:
            missing = error
            if not some:
                raise
    if not found:
        raise missing
    return found


def check(path, text):
    """Compare with the checked-in file: everything when the versions agree, else what both know."""
    with open(path) as stream:
        old = stream.read()
    if old == text:
        return []

    def parts(content):
        lines = content.splitlines()
        versions = [l for l in lines if l.startswith("source ")]
        known = {re.split(r"[( ]", l)[0]: re.sub(r" @\w+$", "", l) for l in lines if "(" in l and l[0] != "#"}
        return versions, known

    (old_versions, old_known), (new_versions, new_known) = parts(old), parts(text)
    problems = ["%s is now %s" % (old_known[n], new_known[n])
                for n in sorted(set(old_known) & set(new_known)) if old_known[n] != new_known[n]]
    if old_versions == new_versions:
        problems += ["%s: only in the file" % n for n in sorted(set(old_known) - set(new_known))]
        problems += ["%s: only in the headers" % n for n in sorted(set(new_known) - set(old_known))]
        problems = problems or ["types, dispatch order or comments differ: extract again"]
    return problems


def main():
    parser = argparse.ArgumentParser(description="extract an API description from vendor headers")
    parser.add_argument("--check", action="store_true", help="compare with the checked-in file instead of writing it")
    parser.add_argument("folder", help="src/backends/<api>")
    options = parser.parse_args()
    api = os.path.basename(os.path.normpath(options.folder))
    path = os.path.join(options.folder, api + ".api")
    try:
        match, sources, handles = read_sources(os.path.join(options.folder, api + ".sources"))
        sources = extract_all(sources, match, options.check)
        text = render(api, sources, handles)
    except (ExtractError, OSError) as error:
        print("api_extract: %s" % error, file=sys.stderr)
        sys.exit(77 if options.check and isinstance(error, MissingError) else 1)
    if options.check:
        problems = check(path, text)
        for problem in problems:
            print("%s: %s" % (path, problem))
        sys.exit(1 if problems else 0)
    with open(path, "w") as stream:
        stream.write(text)


if __name__ == "__main__":
    main()
