# SPDX-License-Identifier: BSD-3-Clause
"""Writes <api>_fake.c, a simulated runtime: every symbol of an API, answering success.

For tests on machines without the runtime. A test that wants behaviour links a definition of its
own (all are weak), or sets <api>_fake_answer, which sees the words of every call.
"""
from string import Template

from api_wrap import Wrapper, structs_text

HEAD = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Simulated runtime of $api: made by tools/apigen.py from $api.api and $api.roles. */
#include <stddef.h>
#include <stdint.h>

#define EXPORT __attribute__((visibility("default"), weak))
typedef uintptr_t rec_word;

/* Calls by symbol, in the numbers of ${api}_gen.h; tests read and clear it. */
__attribute__((visibility("default"))) uint64_t ${api}_fake_calls[$count];
/* When set, answers every call that a word is the result of. */
__attribute__((visibility("default"))) rec_word (*${api}_fake_answer)(uint32_t symbol, rec_word *words, unsigned count,
	rec_word usual);
static char object __attribute__((unused)); /* what every handle points to */

static rec_word answer(uint32_t symbol, rec_word *words, unsigned count, rec_word usual)
{
	__atomic_fetch_add(&${api}_fake_calls[symbol], 1, __ATOMIC_RELAXED);
	return ${api}_fake_answer ? ${api}_fake_answer(symbol, words, count, usual) : usual;
}

"""

FUNCTION = """EXPORT $result $name($params)
{
	rec_word words[] = {$integers};

$unused$store	return ($result)answer($S, words, $count, $usual);
}
"""


def function_text(api, symbol):
    wrapper = Wrapper(api, symbol)
    rule = api.failure(symbol.function)
    store = ""
    if symbol.variant.fortran and rule != "never":
        store = "\tif (a%d)\n\t\t*(int32_t *)a%d = 0;\n" % (symbol.error_word, symbol.error_word)
    usual = "(rec_word)&object" if rule == "null" and not symbol.variant.fortran else "0"
    unused = "".join("\t(void)a%d;\n" % i for i, kind in enumerate(wrapper.kinds) if kind != "rec_word")
    values = dict(wrapper.values, store=store, usual=usual, count=len(wrapper.kinds), unused=unused)
    text = Template(FUNCTION).substitute(values)
    for name in symbol.exports[1:]:
        text += 'EXPORT %s %s(%s) __attribute__((alias("%s")));\n' % (
            wrapper.result, name, wrapper.values["types"], symbol.name)
    return text + "\n"


def fake_text(api):
    text = Template(HEAD).substitute(api=api.name, count=len(api.symbols)) + structs_text(api)
    return text + "".join(function_text(api, s) for s in api.symbols if s.exports)
