# SPDX-License-Identifier: BSD-3-Clause
"""Writes <api>.md: the functions that the wrapper object of an API covers."""


def doc_text(api):
    functions = api.function_list()
    exports = sum(len(s.exports) for s in api.symbols)
    lines = ["# Functions of %s" % api.name, "",
             "%d functions, %d wrappers, %d exported names." % (len(functions), len(api.symbols), exports), ""]
    if api.sources:
        lines += ["Prototypes from %s." % ", ".join(api.sources), ""]
    lines += ["| function | kind | flags | roles |", "|---|---|---|---|"]
    for function in functions:
        roles = ["%s=%s" % (key, function.args[index][0]) for key, index in sorted(function.keys.items())]
        roles += ["%s=%s" % item for item in sorted(function.choices.items())] + sorted(function.marks)
        only = " (%s only)" % function.only if function.only else ""
        lines.append("| %s%s | %s | %s | %s |" % (
            function.name, only, function.kind, " ".join(sorted(function.flags)), " ".join(roles)))
    return "\n".join(lines) + "\n"
