# SPDX-License-Identifier: BSD-3-Clause
"""What the generator knows of an API: <api>.api and <api>.roles read into objects.

Used by apigen.py and by tests. Every mistake in an input file is an ApiError that names file and
line; nothing here writes C. The grammar of .roles is in docs/ADD-A-BACKEND.md.
"""
import fnmatch
import re

FLAGS = {  # word in .roles -> flag of struct rec_function
    "discovery": "REC_DISCOVERY", "polls": "REC_POLLS", "opens": "REC_OPENS",
    "enter": "REC_ENTER", "leave": "REC_LEAVE",
}
FAILURES = re.compile(r"nonzero(_but_[1-9][0-9]*)?|null|negative|never")
PLAIN_TYPES = {"int": "i32", "unsigned int": "u32", "short": "i16", "unsigned short": "u16", "long": "i64",
               "unsigned long": "u64", "long long": "i64", "unsigned long long": "u64", "char": "i8",
               "unsigned char": "u8", "bool": "u8", "double": "f64", "float": "f32", "void": "void", "size_t": "u64"}


class ApiError(Exception):
    """A mistake in an input file."""

    def __init__(self, path, line, text):
        Exception.__init__(self, "%s:%d: %s" % (path, line, text))


class Function:
    """A prototype, and what .roles says about it."""

    def __init__(self, name, args, result, variadic, only):
        self.name, self.args, self.result, self.variadic, self.only = name, args, result, variadic, only
        self.arg_index = {arg: i for i, (arg, _) in enumerate(args)}
        self.kind = None
        self.flags = set()      # of FLAGS, and "hot"
        self.keys = {}          # role key -> argument index
        self.marks = set()
        self.choices = {}
        self.fails = None       # as FAILURES has it; None: by result type
        self.absent = None      # int; None: by result type
        self.absent_stores = {}  # argument index -> int
        self.passed = None      # names of the arguments that another language binding has; None: all


class Variant:
    """A way to reach functions: C name, profiling name, Fortran name, entry of a layer's table."""

    def __init__(self, number, name, template, aliases):
        self.number, self.name, self.template, self.aliases = number, name, template, aliases
        self.only, self.skip, self.having = [], [], None
        self.fortran = False    # arguments by reference, error code last, string lengths hidden behind it
        self.loader = False     # called by the API's own loader through its dispatch table; not exported
        self.rare = False       # not called in loops: no inline path
        self.reported = False   # the runtime tells of these calls by callbacks: there is nothing to wrap
        self.around = False     # by one before and one after, which do not say of which function

    @property
    def layer(self):
        """Seen from inside the API, beneath the exported names."""
        return self.loader or self.reported

    def covers(self, function, dispatch):
        name = function.name
        if self.only and not any(fnmatch.fnmatchcase(name, p) for p in self.only):
            return False
        if any(fnmatch.fnmatchcase(name, p) for p in self.skip):
            return False
        if self.having == "buffer" and not any(re.match(r"(const )?void\*$", kind) for _, kind in function.args):
            return False
        return not self.loader or name in dispatch


class Symbol:
    """One wrapper: a function reached in one way."""

    def __init__(self, number, function_number, function, variant):
        self.number, self.function_number = number, function_number
        self.function, self.variant = function, variant
        self.name = expand(variant.template, function.name)
        self.exports = [] if variant.layer else \
            [self.name] + [expand(alias, function.name) for alias in variant.aliases]
        self.error_word = None  # index of the Fortran error argument
        self.words = len(function.args)
        if variant.fortran:
            self.count_fortran_words()

    def count_fortran_words(self):
        """Arguments of the C form, the error code, and one hidden length per character argument.

        A Fortran form that has fewer (functions with a result have no error code) is forwarded
        words too many, which a callee ignores.
        """
        args = self.function.args
        if self.function.passed is not None:
            args = [arg for arg in args if arg[0] in self.function.passed]
        self.error_word = len(args)
        lengths = sum(1 for _, kind in args if re.match(r"(const )?char\*", kind))
        self.words = len(args) + 1 + lengths

    @property
    def variadic(self):
        return self.function.variadic and not self.variant.fortran


def expand(template, name):
    """{name} {lower} {upper}; {lower:5:-2} without its first five and last two characters."""
    forms = {"name": name, "lower": name.lower(), "upper": name.upper()}

    def one(match):
        text = forms[match.group(1)]
        return text[int(match.group(2) or 0):int(match.group(3) or len(text))]
    return re.sub(r"\{(name|lower|upper)(?::(\d*):(-?\d*))?\}", one, template)


def around_symbols(api):
    """Those that a runtime calls back around; their place is the number that the hand-written part is given."""
    return [symbol for symbol in api.symbols if symbol.variant.around]


def read_lines(path):
    """Numbered lines without comments; a line that ends in a backslash goes on."""
    number, start, held = 0, 0, ""
    with open(path) as stream:
        for line in stream:
            number += 1
            if not held:
                start = number
            text = re.sub(r"(^|\s)#.*", "", line.rstrip("\n"))
            if text.endswith("\\"):
                held += text[:-1] + " "
                continue
            text, held = (held + text).strip(), ""
            if text:
                yield start, text
    if held.strip():
        yield start, held.strip()


class Choice:
    """A closed list of values that .roles chooses from."""

    def __init__(self, prefix, values, own):
        self.prefix, self.values = prefix, values
        self.own = own  # declared in .roles: the generator writes the enum

    def constant(self, value):
        return self.prefix + (value.upper() if self.own else value)


def read_kinds(path):
    """The closed lists of format/kinds.h: {"SONDE_KINDS": Choice, ...}."""
    with open(path) as stream:
        text = stream.read()
    lists = {}
    for name, macro in re.findall(r"enum \w+ \{ (\w+)\((\w+)\)", text):
        block = re.search(r"#define %s\(X\)(.*?[^\\])\n" % name, text, re.S)
        prefix = re.search(r"#define %s\(.*?\) (\w+)##" % macro, text)
        lists[name] = Choice(prefix.group(1), re.findall(r"X\((\w+)", block.group(1)), False)
    if "SONDE_KINDS" not in lists:
        raise ApiError(path, 1, "no list SONDE_KINDS")
    return lists


class Api:
    """Everything about one API."""

    def __init__(self, name, lists):
        self.name, self.lists, self.kinds = name, lists, lists["SONDE_KINDS"].values
        self.sources, self.types, self.structs = [], dict(PLAIN_TYPES), {}
        self.functions, self.dispatch = {}, []
        self.keys, self.marks, self.choices = [], [], {}   # declared in .roles
        self.variants, self.groups, self.results = [], {}, {}
        self.symbols = []

    # ---- <api>.api

    def read_api(self, path):
        function = re.compile(r"(\w+)\((.*)\) ([\w *]+?)(?: @(\w+))?$")
        for line, text in read_lines(path):
            word, _, rest = text.partition(" ")
            match = function.match(text)
            if match:
                self.add_function(path, line, match)
            elif word == "source":
                self.sources.append(rest)
            elif word == "type":
                spelling, width = rest.rsplit(" ", 1)
                self.types[spelling] = width
            elif word == "struct":
                spelling, body = re.match(r"(.*?) \{ (.*) \}$", rest).groups()
                self.structs[spelling] = [tuple(field.split(":")) for field in body.split(", ")]
            elif word == "dispatch":
                self.dispatch.append(rest.split()[1])
            else:
                raise ApiError(path, line, "cannot read '%s'" % text)

    def add_function(self, path, line, match):
        name, body, result, only = match.groups()
        args, variadic = [], False
        for item in body.split(", ") if body else []:
            if item == "...":
                variadic = True
                continue
            arg, _, kind = item.partition(":")
            args.append((arg, kind))
            self.width(kind, path, line)
        if self.width(result, path, line) == "struct": # its address would be an argument of its own
            raise ApiError(path, line, "'%s' returns a structure: such functions are not wrapped" % name)
        if name in self.functions:
            raise ApiError(path, line, "function '%s' stands twice" % name)
        self.functions[name] = Function(name, args, result, variadic, only)

    def width(self, kind, path="?", line=0):
        """Width class of a type: i32, u64, ptr, handle, f64, struct, void."""
        if "*" in kind:
            return "ptr"
        if kind not in self.types:
            raise ApiError(path, line, "unknown type '%s'" % kind)
        return self.types[kind]

    # ---- what follows from both files

    def is_query(self, function):
        return function.kind == "query"

    def failure(self, function):
        rule = function.fails or self.results.get(function.result, self.results.get(self.width(function.result)))
        return rule[0] if isinstance(rule, tuple) else rule or "never"

    def absent(self, function):
        """What a call returns when the process has no library of the API."""
        if function.absent is not None:
            return function.absent
        rule = self.results.get(function.result, self.results.get(self.width(function.result)))
        return rule[1] if rule else 0

    def make_symbols(self):
        for number, name in enumerate(sorted(self.functions)):
            function = self.functions[name]
            for variant in self.variants:
                if variant.covers(function, self.dispatch):
                    self.symbols.append(Symbol(len(self.symbols), number, function, variant))

    def function_list(self):
        return [self.functions[name] for name in sorted(self.functions)]
