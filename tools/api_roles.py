# SPDX-License-Identifier: BSD-3-Clause
"""Reads <api>.roles, the hand-written meaning of an API's functions, into an api_model.Api.

Grammar, with an example of every line, in docs/ADD-A-BACKEND.md. Whatever does not exist (a
function, an argument, a kind, a key) is an error with file and line, never ignored.
"""
import fnmatch
import re

from api_model import FAILURES, FLAGS, ApiError, Choice, Variant


class RolesReader:
    """State while one file is read."""

    def __init__(self, api, path):
        self.api, self.path, self.line = api, path, 0
        self.seen = {}  # function -> line that named it exactly

    def error(self, text):
        return ApiError(self.path, self.line, text)

    def read(self, lines):
        declarations = {"keys": self.take_keys, "marks": self.take_marks, "choice": self.take_choice,
                        "variant": self.take_variant, "result": self.take_result, "group": self.take_group}
        for self.line, text in lines:
            words = text.split()
            if words[0] in declarations:
                declarations[words[0]](words[1:])
            else:
                self.take_functions(words)
        self.finish()

    # ---- declarations

    def take_keys(self, words):
        self.declare(words, self.api.keys)

    def take_marks(self, words):
        self.declare(words, self.api.marks)

    def declare(self, words, known):
        for word in words:
            if not re.match(r"[a-z]\w*$", word) or word in self.api.kinds or word in FLAGS:
                raise self.error("'%s' cannot be declared" % word)
        known += words

    def take_choice(self, words):
        """choice NAME VALUE... (none comes first by itself), or choice NAME kinds.h:LIST"""
        if len(words) < 2:
            raise self.error("a choice needs a name and its values")
        name, values = words[0], words[1:]
        if not values[0].startswith("kinds.h:"):
            self.api.choices[name] = Choice("%s_%s_" % (self.api.name.upper(), name.upper()),
                                            ["none"] + values, True)
            return
        listed = values[0].partition(":")[2]
        if listed not in self.api.lists:
            raise self.error("kinds.h has no list '%s'" % listed)
        self.api.choices[name] = self.api.lists[listed]

    def take_group(self, words):
        if not words or words[0] in self.api.groups:
            raise self.error("a group needs a name of its own")
        self.api.groups[words[0]] = self.expand(words[1:])

    def take_result(self, words):
        """result TYPE fails=RULE absent=VALUE"""
        rule, value = "never", 0
        for word in words[1:]:
            key, _, text = word.partition("=")
            if key == "fails" and FAILURES.fullmatch(text):
                rule = text
            elif key == "absent":
                value = self.integer(text)
            else:
                raise self.error("unknown rule '%s'" % word)
        self.api.results[words[0]] = (rule, value)

    def take_variant(self, words):
        """variant NUMBER NAME TEMPLATE [alias=T,T] [only=P,P] [skip=P,P] [having=buffer] WORD..."""
        if len(words) < 3 or not words[0].isdigit():
            raise self.error("variant NUMBER NAME TEMPLATE ...")
        variant = Variant(int(words[0]), words[1], words[2], [])
        for word in words[3:]:
            key, _, text = word.partition("=")
            if key == "alias":
                variant.aliases = text.split(",")
            elif key in ("only", "skip"):
                setattr(variant, key, text.split(","))
            elif word == "having=buffer":
                variant.having = text
            elif word in ("fortran", "loader", "reported", "rare"):
                setattr(variant, word, True)
            elif word == "around":
                variant.reported = variant.around = True
            else:
                raise self.error("unknown word '%s'" % word)
        self.api.variants.append(variant)

    # ---- functions

    def take_functions(self, words):
        functions, exact = self.select(words[0])
        fitting = set()
        for function in functions:
            for word in self.expand(words[1:]):
                if self.apply(function, word, exact):
                    fitting.add(word)
        for word in self.expand(words[1:]):
            if word not in fitting:
                raise self.error("no function of '%s' has an argument '%s'" % (words[0], word.partition("=")[2]))

    def select(self, pattern):
        """Functions that a line names: NAME, NAME[suffix] (both), a pattern with * or ?."""
        names = self.api.functions
        if "*" in pattern or "?" in pattern:
            found = [names[n] for n in sorted(names) if fnmatch.fnmatchcase(n, pattern)]
            if not found:
                raise self.error("no function matches '%s'" % pattern)
            return found, False
        match = re.match(r"(\w+)(?:\[(\w+)\])?$", pattern)
        if not match:
            raise self.error("cannot read '%s'" % pattern)
        wanted = [match.group(1)] + ([match.group(1) + match.group(2)] if match.group(2) else [])
        for name in wanted:
            if name not in names:
                raise self.error("unknown function '%s'" % name)
            if name in self.seen:
                raise self.error("'%s' has a line already: %d" % (name, self.seen[name]))
            self.seen[name] = self.line
        return [names[n] for n in wanted], True

    def expand(self, words):
        """Replace $GROUP by its words."""
        out = []
        for word in words:
            if not word.startswith("$"):
                out.append(word)
            elif word[1:] in self.api.groups:
                out += self.api.groups[word[1:]]
            else:
                raise self.error("unknown group '%s'" % word)
        return out

    def apply(self, function, word, exact):
        """Give one word to one function; False when it has no such argument (patterns only)."""
        key, equals, value = word.partition("=")
        if word.startswith("-"):
            self.remove(function, word[1:])
        elif not equals:
            self.apply_word(function, word)
        elif key in self.api.keys:
            return self.apply_key(function, key, value, exact)
        elif key in self.api.choices:
            if value not in self.api.choices[key].values:
                raise self.error("unknown %s '%s'" % (key, value))
            function.choices[key] = value
        elif key == "fails" and FAILURES.fullmatch(value):
            function.fails = value
        elif key == "absent":
            function.absent = self.integer(value)
        elif key.startswith("absent."):
            return self.apply_store(function, key[len("absent."):], value, exact)
        elif key == "passed":
            function.passed = [] if value == "-" else [self.argument(function, v) for v in value.split(",")]
        else:
            raise self.error("unknown key '%s'" % word)
        return True

    def remove(self, function, word):
        """-WORD takes back what an earlier line or a pattern gave."""
        if word not in FLAGS and word != "hot" and word not in self.api.marks + self.api.keys and \
                word not in self.api.choices:
            raise self.error("unknown word '-%s'" % word)
        function.flags.discard(word)
        function.marks.discard(word)
        function.keys.pop(word, None)
        function.choices.pop(word, None)

    def apply_word(self, function, word):
        if word in self.api.kinds:
            function.kind = word
        elif word in FLAGS or word == "hot":
            function.flags.add(word)
        elif word in self.api.marks:
            function.marks.add(word)
        else:
            raise self.error("unknown word '%s': neither a kind, a flag nor a mark" % word)

    def argument(self, function, name):
        if name not in function.arg_index:
            raise self.error("%s has no argument '%s'" % (function.name, name))
        return name

    def apply_key(self, function, key, value, exact):
        if exact or value in function.arg_index:
            function.keys[key] = function.arg_index[self.argument(function, value)]
            return True
        return False

    def apply_store(self, function, arg, value, exact):
        if exact or arg in function.arg_index:
            function.absent_stores[function.arg_index[self.argument(function, arg)]] = self.integer(value)
            return True
        return False

    def integer(self, text):
        try:
            return int(text, 0)
        except ValueError:
            raise self.error("'%s' is not a number" % text)

    # ---- whole file

    def finish(self):
        if not self.api.variants:
            raise self.error("no variant is declared")
        for function in self.api.function_list():
            if function.kind is None:
                raise self.error("'%s' has no kind: give the API a default with '*'" % function.name)
            slow = function.flags & ({"enter", "opens", "leave"} if function.kind == "query" else {"enter", "opens"})
            if "hot" in function.flags and slow:
                raise self.error("'%s' cannot be hot: %s takes the general path" % (function.name, min(slow)))
