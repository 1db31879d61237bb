# SPDX-License-Identifier: BSD-3-Clause
"""Writes <api>_gen.h and <api>_table.c: what the recorder and the hand-written part know of an API.

The tables hold offsets, never pointers: a table of pointers costs one relocation per entry in
every process that loads the object.
"""
from string import Template

from api_args import reference_index
from api_model import FLAGS, ApiError, around_symbols
from api_wrap import structs_text

HEADER = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Numbers and tables of $api: made by tools/apigen.py from $api.api and $api.roles. */
#ifndef SONDE_${API}_GEN_H
#define SONDE_${API}_GEN_H

#include "record/rec.h"

/* Functions as the program knows them: F */
enum ${api}_fn {
$functions	${API}_FN_COUNT
};

/* Symbols that reach them: S */
enum ${api}_sym {
$symbols	${API}_SYM_COUNT
};

/* rec_symbol.variant */
enum ${api}_variant {
$variants};

$choices$structs/* Index of each argument that has a role, in the C form; -1: the function has none. */
enum ${api}_argument {
$arguments	${API}_ARGUMENTS
};

/* Names of values that depend on the library: rec_argument.names */
enum ${api}_names {
	${API}_NAMES_NONE,
$names	${API}_NAMES_COUNT
};

struct ${api}_role {
$role_members	union {
		int8_t arg[$argument_room];
		struct {
$argument_members		};
	};
};

#pragma GCC visibility push(hidden)
extern struct rec_backend ${api}_backend;
extern const struct ${api}_role ${api}_role[${API}_FN_COUNT];
extern uint16_t ${api}_slot[];
extern void *${api}_real[${API}_SYM_COUNT];

/* Hooks that the hand-written part may define; see struct rec_backend. */
void ${api}_enter(struct rec_call *call, rec_word *args);
void ${api}_leave(struct rec_call *call, rec_word *args, rec_word result);
void ${api}_opened(void);
void ${api}_flush(uint64_t deadline_raw_ns);
uint64_t ${api}_oldest_open(void);
const char *${api}_names_found(uint32_t names);
int32_t ${api}_plain_answer(int32_t answer);
uint64_t ${api}_part(uint32_t part, const void *at);
rec_word ${api}_convert(uint32_t names, rec_word value);
bool ${api}_ignores(rec_word pointer);
$dispatch$around#pragma GCC visibility pop

/* The error argument of a Fortran call: absent or not zero? */
static inline rec_word rec_word_error(rec_word error)
{
	return error ? (rec_word)(intptr_t)*(const int32_t *)error : 0;
}

static inline bool rec_word_failed(rec_word error)
{
	return error && *(const int32_t *)error != 0;
}

#endif
"""

DISPATCH = """
/* The loader's dispatch table, by index */
enum ${api}_dispatch {
$entries	${API}_DISPATCH_COUNT
};
/* Wrappers for the loader's table, relative to this table's first byte; 0: none. */
extern const int32_t ${api}_layer_wrapper[${API}_DISPATCH_COUNT];
extern const uint16_t ${api}_layer_symbol[${API}_DISPATCH_COUNT]; /* S; UINT16_MAX: none */

static inline void *${api}_layer_entry(unsigned index)
{
	int32_t offset = ${api}_layer_wrapper[index];

	return offset ? (char *)${api}_layer_wrapper + offset : NULL;
}
"""

AROUND = """
/* A function that the runtime calls back around, by the number that the two hooks below are given. */
struct ${api}_around {
	uint32_t symbol;                   /* S */
	int32_t before, after;             /* what the runtime is to call, relative to the table's first byte */
	uint8_t width[${API}_AROUND_WORDS]; /* bytes of each argument; 0: a structure, whose address is the word */
};
extern const struct ${api}_around ${api}_around[${API}_AROUND_COUNT];
/* args: the words that the runtime has given its callback. */
rec_word ${api}_before(rec_word *args, uint32_t number, const void *site, uintptr_t frame);
rec_word ${api}_after(rec_word *args, uint32_t number, const void *site, uintptr_t frame);
"""

AROUND_TABLE = """
extern const struct ${api}_around ${api}_around[] __attribute__((visibility("hidden")));
__asm__(".section .rodata.${api}_around, \\"a\\"\\n.balign 4\\n.globl ${api}_around\\n.hidden ${api}_around\\n"
	"${api}_around:\\n"
$entries	".previous\\n");
"""

TABLE = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Tables of $api: made by tools/apigen.py from $api.api, $api.roles and attach.conf. */
#include "format/stream.h"

#include "${api}_gen.h"

#if defined(__aarch64__)
#define PAGE 65536
#else
#define PAGE 4096
#endif

static const char pool[] =
$pool;

static const struct rec_function functions[] = {
$functions};

static const struct rec_symbol symbols[] = {
$symbols};

static const struct rec_argument recorded[] = {
$recorded	{0}};

static const uint32_t names[] = {0, $names};

const struct ${api}_role ${api}_role[] = {
$roles};

/* Pages of their own: a fork wipes them, nothing else may lie there. */
uint16_t ${api}_slot[(${API}_SYM_COUNT * sizeof(uint16_t) + PAGE - 1) / PAGE * PAGE / sizeof(uint16_t)]
	__attribute__((aligned(PAGE)));
void *${api}_real[${API}_SYM_COUNT];

/* Differences that the assembler and linker compute: no relocation is left. */
extern const struct rec_export ${api}_exports[] __attribute__((visibility("hidden")));
__asm__(".section .rodata.${api}_exports, \\"a\\"\\n.balign 4\\n.globl ${api}_exports\\n.hidden ${api}_exports\\n"
	"${api}_exports:\\n"
$exports	".previous\\n");
$layer
$absent
static void *absent(uint32_t symbol)
{
	static const uint8_t answer[] = {$absent_table};

	switch (answer[symbol]) {
$absent_cases	}
}

#pragma weak ${api}_enter
#pragma weak ${api}_leave
#pragma weak ${api}_opened
#pragma weak ${api}_flush
#pragma weak ${api}_oldest_open
#pragma weak ${api}_names_found
#pragma weak ${api}_plain_answer
#pragma weak ${api}_part
#pragma weak ${api}_convert
#pragma weak ${api}_ignores

struct rec_backend ${api}_backend = {
	.size = sizeof(struct rec_backend),
	.functions = ${API}_FN_COUNT,
	.symbols = ${API}_SYM_COUNT,
	.exports = $export_count,
	.name = "$api",
	.pool = pool,
	.function = functions,
	.symbol = symbols,
	.export_table = ${api}_exports,
	.argument = recorded,
	.names = names,
	.reference_variants = $reference_variants,
	.descriptor_variants = $descriptor_variants,
	.names_found = ${api}_names_found,
	.plain_answer = ${api}_plain_answer,
	.part = ${api}_part,
	.convert = ${api}_convert,
	.ignores = ${api}_ignores,
	.front = $front,
	.lookups = $lookups,
	.runtimes = $runtimes,
	.serialising = $serialising,
	.layer = $layer_depth,
	.perfetto_api = $perfetto_api,
	.layer_variant = $layer_variant,
	.slot = ${api}_slot,
	.real = ${api}_real,
	.absent = absent,
	.enter = ${api}_enter,
	.leave = ${api}_leave,
	.opened = ${api}_opened,
	.flush = ${api}_flush,
	.oldest_open = ${api}_oldest_open,
	.index = UINT32_MAX,
};

extern const char __ehdr_start[] __attribute__((visibility("hidden")));
extern const char _end[] __attribute__((visibility("hidden")));

__attribute__((constructor)) static void register_backend(void)
{
	rec_backend_register(&${api}_backend, __ehdr_start, _end);
}
$variadic"""

VARIADIC = """
/* Called by the assembly of variadic wrappers: counts the call and tells where to jump. */
void *${api}_count_variadic(uint32_t symbol, const void *return_address, uintptr_t frame)
	__attribute__((visibility("hidden")));
void *${api}_count_variadic(uint32_t symbol, const void *return_address, uintptr_t frame)
{
	struct rec_call call;

	rec_enter(&call, &${api}_backend, symbol, return_address, frame, NULL);
	if (call.slot) {
		call.failed = false;
		rec_leave(&call);
	}
	return call.real;
}
"""

LAYER = """
extern const int32_t ${api}_layer_wrapper[] __attribute__((visibility("hidden")));
__asm__(".section .rodata.${api}_layer, \\"a\\"\\n.balign 4\\n.globl ${api}_layer_wrapper\\n"
	".hidden ${api}_layer_wrapper\\n${api}_layer_wrapper:\\n"
$entries	".previous\\n");
const uint16_t ${api}_layer_symbol[] = {$symbols};
"""


class Pool:
    """Strings of the tables, each once; offset 0 is the empty one."""

    def __init__(self):
        self.offset, self.size, self.lines = {"": 0}, 1, ['\t"\\0"']

    def add(self, text):
        if text not in self.offset:
            self.offset[text] = self.size
            self.size += len(text) + 1
            self.lines.append('\t"%s\\0"' % text)
        return self.offset[text]


def lines(items, indent="\t"):
    return "".join("%s%s\n" % (indent, item) for item in items)


def header_text(api):
    functions = api.function_list()
    upper = api.name.upper()
    choices = "".join("enum %s_%s {\n%s};\n\n" % (
        api.name, name, lines(choice.constant(value) + "," for value in choice.values))
        for name, choice in api.choices.items() if choice.own)
    variants = {variant.number: variant.name for variant in api.variants}
    members = ["uint8_t %s; /* %s... */" % (name, choice.prefix) for name, choice in api.choices.items()]
    members += ["uint8_t %s;" % mark for mark in api.marks]
    return Template(HEADER).substitute(
        api=api.name, API=upper, choices=choices, structs=structs_text(api),
        functions=lines("%s_fn_%s," % (api.name, f.name) for f in functions),
        symbols=lines("%s = %d," % (symbol_id(api, s), s.number) for s in api.symbols),
        variants=lines("%s_VARIANT_%s = %d," % (upper, variants[n].upper(), n) for n in sorted(variants)),
        arguments=lines("%s_ARG_%s," % (upper, key.upper()) for key in api.keys),
        names=lines("%s_NAMES_%s," % (upper, e.name.upper()) for e in api.arguments.enumerations),
        role_members=lines(members), argument_room=max(1, len(api.keys)),
        argument_members=lines(["int8_t %s;" % key for key in api.keys] or ["int8_t none;"], "\t\t\t"),
        dispatch=dispatch_text(api), around=around_text(api))


def symbol_id(api, symbol):
    layer = "_%s" % symbol.variant.name if symbol.variant.layer else ""
    return "%s_sym_%s%s" % (api.name, symbol.name, layer)


def dispatch_text(api):
    if not api.dispatch:
        return ""
    entries = lines("%s_dispatch_%s," % (api.name, name) for name in api.dispatch)
    return Template(DISPATCH).substitute(api=api.name, API=api.name.upper(), entries=entries)


def layer_text(api):
    """The table of layer entries, and which symbol each belongs to."""
    if not api.dispatch:
        return ""
    of_name = {s.function.name: s.number for s in api.symbols if s.variant.loader}
    entries, numbers = [], []
    for name in api.dispatch:
        number = of_name.get(name)
        entries.append('".long %s\\n"' % ("0" if number is None else
                                          "%s_wrap_%d - %s_layer_wrapper" % (api.name, number, api.name)))
        numbers.append("UINT16_MAX" if number is None else str(number))
    return Template(LAYER).substitute(api=api.name, entries=lines(entries), symbols=", ".join(numbers))


def around_words(api):
    return -(-max(symbol.words for symbol in around_symbols(api)) // 4) * 4


def around_text(api):
    symbols = around_symbols(api)
    if not symbols:
        return ""
    numbers = "\nenum { %s_AROUND_COUNT = %d, %s_AROUND_WORDS = %d };\n" % (
        api.name.upper(), len(symbols), api.name.upper(), around_words(api))
    return numbers + Template(AROUND).substitute(api=api.name, API=api.name.upper()).lstrip("\n")


def around_table(api):
    """Functions that a runtime calls back around."""
    bytes_of = {"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "ptr": 8, "struct": 0}
    entries = []
    for number, symbol in enumerate(around_symbols(api)):
        if not all(api.width(kind) in bytes_of for _, kind in symbol.function.args):
            raise ApiError(api.name + ".roles", 1, "'%s' has floating arguments: nothing calls back around it" %
                           symbol.name)
        widths = [bytes_of[api.width(kind)] for _, kind in symbol.function.args]
        widths += [0] * (around_words(api) - len(widths))
        places = ["%s_%s_%d - %s_around" % (api.name, when, number, api.name) for when in ("before", "after")]
        entries.append('".long %d, %s\\n.byte %s\\n"' % (symbol.number, ", ".join(places), ", ".join(map(str, widths))))
    return Template(AROUND_TABLE).substitute(api=api.name, entries=lines(entries)) if entries else ""


def argument_rows(api, pool, functions):
    """Rows of the table of recorded arguments, and how many each function has of each sort."""
    for function in api.function_list():
        rows = api.arguments.of_function(function)
        functions.append([sum(1 for row in rows if row.when == when) for when in ("RESULT", "IN", "OUT")])
        for row in rows:
            reference = reference_index(function, row.index) if row.when != "RESULT" else None
            flags = " | ".join("REC_ARGUMENT_" + flag for flag in row.flags) or "0"
            yield "{%d, %d, %d, %d, FMT_ARG_%s, FMT_ARG_%s, REC_ARGUMENT_%s, %s, %d, %d, 0}," % (
                pool.add(row.name), row.names, row.index, 255 if reference is None else reference, row.when,
                row.type, row.how, flags, row.length, row.part)


def mask(numbers):
    return "0x%x" % sum(1 << number for number in set(numbers))


def function_rows(api, pool, recorded):
    first = 0
    for function, (results, inputs, outputs) in zip(api.function_list(), recorded):
        flags = sorted(FLAGS[f] for f in function.flags if f in FLAGS)
        flags += ["REC_QUERY"] if api.is_query(function) else []
        yield "{%d, SONDE_KIND_%s, %s, %d, %d, %d, %d, %d, 0}, /* %s */" % (
            pool.add(function.name), function.kind, " | ".join(flags) or "0", len(function.args), results, first,
            inputs, outputs, function.name)
        first += results + inputs + outputs


def role_rows(api):
    for function in api.function_list():
        members = [".%s = %s" % (name, choice.constant(function.choices[name]))
                   for name, choice in api.choices.items() if name in function.choices]
        members += [".%s = 1" % mark for mark in api.marks if mark in function.marks]
        indexes = [str(function.keys.get(key, -1)) for key in api.keys] or ["-1"]
        yield "{%s}," % ", ".join(members + [".arg = {%s}" % ", ".join(indexes)])


def export_rows(api, pool):
    """Names that dlsym can be asked for, in byte order."""
    names = sorted((name.encode(), name, s.number) for s in api.symbols for name in s.exports)
    for _, name, number in names:
        yield '".long %d, %d, %s_wrap_%d - %s_exports\\n"' % (
            pool.add(name), number, api.name, number, api.name)


def strings(items):
    return " ".join('"%s\\0"' % item for item in items) or '""'


class Absent:
    """Answers of functions whose API is not in the process; equal ones are one C function."""

    def __init__(self, api):
        self.api, self.known, self.functions = api, {}, []
        self.table = [self.number(symbol) for symbol in api.symbols]

    def number(self, symbol):
        function = symbol.function
        result = {"f64": "double", "f32": "float"}.get(self.api.width(function.result), "rec_word")
        value, stores = self.api.absent(function), sorted(function.absent_stores.items())
        if symbol.variant.fortran:
            # by reference the error code is an argument; arguments before it keep their place
            passed = [a for a, _ in function.args if function.passed is None or a in function.passed]
            stores = [(passed.index(function.args[i][0]), v) for i, v in stores if function.args[i][0] in passed]
            if self.api.failure(function) != "never":
                stores.append((symbol.error_word, value))
        key = (result, value, tuple(stores))
        if key not in self.known:
            self.known[key] = len(self.functions)
            self.functions.append(self.text(len(self.functions), *key))
        return self.known[key]

    @staticmethod
    def text(number, result, value, stores):
        room = max([index + 1 for index, _ in stores] or [0])
        params = ", ".join("rec_word a%d%s" % (i, "" if i in dict(stores) else " __attribute__((unused))")
                           for i in range(room)) or "void"
        body = "".join("\tif (a%d)\n\t\t*(int32_t *)a%d = %d;\n" % (i, i, v) for i, v in stores)
        return "static %s absent_%d(%s)\n{\n%s\treturn (%s)%d;\n}\n" % (result, number, params, body, result, value)

    def cases(self):
        rows = ["case %d: return (void *)absent_%d;" % (i, i) for i in range(1, len(self.functions))]
        return lines(rows + ["default: return (void *)absent_0;"])


def table_text(api, attach):
    pool, absent = Pool(), Absent(api)
    exports = list(export_rows(api, pool))
    variadic = any(s.variadic for s in api.symbols)
    layers = [v.number for v in api.variants if v.layer]
    of_function = []
    recorded = lines(argument_rows(api, pool, of_function))
    functions = lines(function_rows(api, pool, of_function))
    names = ", ".join([str(pool.add(e.text)) for e in api.arguments.enumerations])
    symbols = lines("{%d, %d, %d, %d}, /* %s */" % (
        pool.add(s.name), s.function_number, s.variant.number, s.words, s.name) for s in api.symbols)
    return Template(TABLE).substitute(
        api=api.name, API=api.name.upper(), pool="\n".join(pool.lines), functions=functions, symbols=symbols,
        recorded=recorded, names=names,
        reference_variants=mask(v.number for v in api.variants if v.fortran),
        descriptor_variants=mask(v.number for v in api.variants if v.having == "buffer"),
        roles=lines(role_rows(api)), exports=lines(exports), export_count=len(exports),
        layer=layer_text(api) + around_table(api),
        absent="\n".join(absent.functions), absent_table=", ".join(map(str, absent.table)),
        absent_cases=absent.cases(), front=strings(attach.front),
        lookups=strings(attach.lookups), runtimes=strings(attach.runtime),
        serialising=strings(attach.serialising),
        layer_depth=attach.layer, perfetto_api=attach.perfetto_api, layer_variant=layers[0] if layers else 0,
        variadic=Template(VARIADIC).substitute(api=api.name) if variadic else "")
