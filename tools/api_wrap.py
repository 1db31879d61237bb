# SPDX-License-Identifier: BSD-3-Clause
"""Writes the wrapper functions of an API: one C function per hot symbol, one per shape of the others.

Every integer, pointer and handle is one machine word (rec_word), so that one wrapper serves every
ABI of an API; floating arguments and structures by value keep their type. The shapes follow
src/record/rec_hot.h, which says what each of them costs. Plain wrappers that take and give words alone share one
function per shape, which api_stub.py enters.
"""
import re
from collections import OrderedDict
from string import Template

from api_model import around_symbols
from api_stub import stubs_text

HEAD = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Wrappers of $api, part $part: made by tools/apigen.py from $api.api and $api.roles. */
#include "record/rec_stream.h"

#include "${api}_gen.h"

#define RETURN __builtin_return_address(0)
#define FRAME ((uintptr_t)__builtin_dwarf_cfa())

"""

SIGNATURE = """${linkage}${result} ${name}(${params})
{
"""

SHAPE = """rec_word $function(rec_word *args, uint32_t symbol, const void *site, uintptr_t frame)
{
$error$body
"""

# Fortran programs may leave the error argument out; without it a failed call could not be told.
NO_ERROR = """	if (unlikely(!a%d))
		return ${api}_slow_$S(${words});
"""
OPTIONAL_ERROR = """	int32_t error = 0;

	if (!%s)
		%s = (rec_word)&error;
"""

QUERY = """	uint32_t slot = ${api}_slot[$S];

	if (likely(slot - 1u < rec_tls.count_capacity && rec_tls.thread->depth == 0)) {
		rec_row(rec_tls.thread, slot)->hist[0]++;
		return ((${result} (*)(${types}))${api}_real[$S])(${words});
	}
	return ${api}_slow_$S(${words});
}
"""

HOT = """	uint32_t found = rec_in_scratch(${api}_slot[$S]);
	struct fmt_thread *thread = rec_fast_enter(found, $S, FRAME);

	if (likely(thread)) {
		uint32_t slot = rec_apart(found);
		uint64_t begin = thread->frame[1].begin = rec_ticks();
		${result} result = ((${result} (*)(${types}))${api}_real[$S])(${words});
		uint64_t end = rec_ticks();

$first		/* another value: recording was paused inside the call, or this is the child of a fork inside it */
		if (likely(${api}_slot[$S] == slot))
			rec_fast_leave(thread, slot, begin, end, $failed_here);
		else if (!rec_fast_late(thread, slot, begin, end, $failed_here))
			return result;
$fast_hook$last		return result;
	}
	return ${api}_stream_$S(${words});
}
"""

# Tail calls, for which nothing has to be kept in registers.
FAILED_FAST = """		if (unlikely($failed))
			return rec_fast_failed(thread, slot | (uint64_t)${api}_slot[$S] << 32, begin, end, $recorded,
				result);
"""
FAILED_STREAM = """		if (unlikely($failed))
			return rec_stream_failed(thread, slot | (uint64_t)${api}_slot[$S] << 32, begin, $recorded,
				result);
"""
# Where a hook comes behind, or the result is no word.
FAILED = """		if (unlikely($failed) && thread == rec_tls.thread)
			rec_failed(slot, $recorded);
"""

FAST_HOOK = """		if (${api}_backend.leave) {
			struct rec_call call = {.backend = &${api}_backend, .symbol = $S, .slot = slot,
				.depth = 1, .failed = $failed, .begin = $begin, .thread = thread,
				.streamed = $streamed, .real = ${api}_real[$S]};
			rec_word args[] = {$array};

			${api}_backend.leave(&call, args, $result_word);
		}
"""

# What the inline path refuses: the stub of the shape that this wrapper would have without one; a function of its own
# where there is no such shape.
SLOW_STUB = """extern __attribute__((visibility("hidden"))) ${result} ${api}_slow_$S(${params});

"""
SLOW_HEAD = """static __attribute__((noinline, cold)) ${result} ${api}_slow_$S(${params})
{
"""

STREAM = """static __attribute__((noinline)) ${result} ${api}_stream_$S(${params})
{
	uint32_t slot = ${api}_slot[$S];
	struct fmt_thread *thread = rec_stream_enter(slot, $S, FRAME);

	if (likely(thread)) {
		uint64_t begin = thread->frame[1].begin;
		${result} result = ((${result} (*)(${types}))${api}_real[$S])(${words});

$first		if (likely(${api}_slot[$S] == slot && rec_tls.thread == thread)) {
			uint64_t end;
			char *at = rec_stream_take(&rec_tls.writer, 16, true, &end);

			rec_stream_leave(thread, slot, at, begin, end, $failed_here, $recorded);
		} else if (!rec_stream_late(thread, slot, begin, $failed_here, $recorded)) {
			return result;
		}
$stream_hook$last		return result;
	}
	return ${api}_slow_$S(${words});
}

"""

ARGS = """	rec_word args[] = {$array};
"""

GENERAL = """	struct rec_call call;
	${result} result;

	rec_enter(&call, &${api}_backend, $S, $site, args);
	result = ((${result} (*)(${types}))call.real)(${hooked_words});
	if (call.slot) {
		call.failed = $failed_hooked;
		call.result = $recorded_hooked;
		rec_leave(&call);
	}
	return result;
}
"""

HOOKED = """	struct rec_call call;
	${result} result;

	rec_enter(&call, &${api}_backend, $S, $site, args);
$enter	result = ((${result} (*)(${types}))call.real)(${hooked_words});
	call.failed = $failed_hooked;
	call.result = $recorded_hooked;
	if (call.slot)
		rec_leave(&call);
$leave	return result;
}
"""

ENTER = """	if (!call.own && ${api}_backend.enter)
		${api}_backend.enter(&call, args);
"""
LEAVE = """	if (!call.own && ${api}_backend.leave)
		${api}_backend.leave(&call, args, $result_word);
"""

# Arguments of a variadic call cannot be passed on from C: count the call, restore the argument
# registers, jump.
VARIADIC = """__asm__(
	".text\\n.globl ${name}\\n.type ${name}, %function\\n${name}:\\n"
#if defined(__x86_64__)
	".cfi_startproc\\n"
	"push %rbp\\n.cfi_def_cfa_offset 16\\n.cfi_offset 6, -16\\nmov %rsp, %rbp\\n.cfi_def_cfa_register 6\\n"
	"sub $$192, %rsp\\n"
	"mov %rdi, (%rsp)\\nmov %rsi, 8(%rsp)\\nmov %rdx, 16(%rsp)\\nmov %rcx, 24(%rsp)\\n"
	"mov %r8, 32(%rsp)\\nmov %r9, 40(%rsp)\\nmov %rax, 48(%rsp)\\n"
	"movups %xmm0, 64(%rsp)\\nmovups %xmm1, 80(%rsp)\\nmovups %xmm2, 96(%rsp)\\nmovups %xmm3, 112(%rsp)\\n"
	"movups %xmm4, 128(%rsp)\\nmovups %xmm5, 144(%rsp)\\nmovups %xmm6, 160(%rsp)\\nmovups %xmm7, 176(%rsp)\\n"
	"mov $$$S, %edi\\nmov 8(%rbp), %rsi\\nmov %rbp, %rdx\\ncall ${api}_count_variadic\\nmov %rax, %r11\\n"
	"mov (%rsp), %rdi\\nmov 8(%rsp), %rsi\\nmov 16(%rsp), %rdx\\nmov 24(%rsp), %rcx\\n"
	"mov 32(%rsp), %r8\\nmov 40(%rsp), %r9\\nmov 48(%rsp), %rax\\n"
	"movups 64(%rsp), %xmm0\\nmovups 80(%rsp), %xmm1\\nmovups 96(%rsp), %xmm2\\nmovups 112(%rsp), %xmm3\\n"
	"movups 128(%rsp), %xmm4\\nmovups 144(%rsp), %xmm5\\nmovups 160(%rsp), %xmm6\\nmovups 176(%rsp), %xmm7\\n"
	"leave\\n.cfi_def_cfa 7, 8\\njmp *%r11\\n.cfi_endproc\\n"
#elif defined(__aarch64__)
	".cfi_startproc\\n"
	"stp x29, x30, [sp, #-224]!\\n.cfi_def_cfa_offset 224\\n.cfi_offset 29, -224\\n.cfi_offset 30, -216\\n"
	"mov x29, sp\\n"
	"stp x0, x1, [sp, #16]\\nstp x2, x3, [sp, #32]\\nstp x4, x5, [sp, #48]\\nstp x6, x7, [sp, #64]\\n"
	"str x8, [sp, #80]\\n"
	"stp q0, q1, [sp, #96]\\nstp q2, q3, [sp, #128]\\nstp q4, q5, [sp, #160]\\nstp q6, q7, [sp, #192]\\n"
	"mov w0, #$S\\nmov x1, x30\\nmov x2, sp\\nbl ${api}_count_variadic\\nmov x16, x0\\n"
	"ldp x0, x1, [sp, #16]\\nldp x2, x3, [sp, #32]\\nldp x4, x5, [sp, #48]\\nldp x6, x7, [sp, #64]\\n"
	"ldr x8, [sp, #80]\\n"
	"ldp q0, q1, [sp, #96]\\nldp q2, q3, [sp, #128]\\nldp q4, q5, [sp, #160]\\nldp q6, q7, [sp, #192]\\n"
	"ldp x29, x30, [sp], #224\\n.cfi_restore 29\\n.cfi_restore 30\\n.cfi_def_cfa_offset 0\\nbr x16\\n"
	".cfi_endproc\\n"
#else
#error "no variadic wrapper for this architecture"
#endif
	".size ${name}, .-${name}\\n.globl ${api}_wrap_$S\\n.hidden ${api}_wrap_$S\\n"
	".set ${api}_wrap_$S, ${name}\\n");

"""


class Wrapper:
    """C text of one symbol's wrapper."""

    def __init__(self, api, symbol):
        self.api, self.symbol = api, symbol
        self.function = symbol.function
        self.kinds = self.word_kinds()
        self.result = {"f64": "double", "f32": "float"}.get(api.width(self.function.result), "rec_word")
        self.values = self.make_values()

    def word_kinds(self):
        """C type of each parameter; by reference everything is a word."""
        if self.symbol.variant.fortran:
            return ["rec_word"] * self.symbol.words
        special = {"f64": "double", "f32": "float"}
        out = []
        for _, kind in self.function.args:
            width = self.api.width(kind)
            out.append(struct_name(self.api, kind) if width == "struct" else special.get(width, "rec_word"))
        return out

    def failed(self, hooked):
        """C expression that tells a failed call from its result or its error argument.

        In a wrapper with hooks, enter may have put another error argument in place.
        """
        rule = self.api.failure(self.function)
        if rule == "never":
            return "false"
        if self.symbol.variant.fortran:
            return "rec_word_failed(%s)" % (("args[%d]" if hooked else "a%d") % self.symbol.error_word)
        if rule.startswith("nonzero_but_"):
            return "((int32_t)result != 0 && (int32_t)result != %s)" % rule[len("nonzero_but_"):]
        return {"nonzero": "(int32_t)result != 0", "null": "result == 0",
                "negative": "(int32_t)result < 0"}[rule]

    def recorded(self, hooked):
        """C expression of the result word that streams hold; Fortran's is the error argument."""
        if self.symbol.variant.fortran:
            if self.api.failure(self.function) == "never":
                return "0"
            return "rec_word_error(%s)" % (("args[%d]" if hooked else "a%d") % self.symbol.error_word)
        width = self.api.width(self.function.result)
        if self.result != "rec_word":
            return "rec_word_%s(result)" % self.result
        if width == "void":
            return "0"
        narrow = {"i8": "int8_t", "i16": "int16_t", "i32": "int32_t", "u8": "uint8_t", "u16": "uint16_t",
                  "u32": "uint32_t"}.get(width)
        return "(rec_word)(intptr_t)(%s)result" % narrow if narrow else "result"

    def make_values(self):
        n = range(len(self.kinds))
        forms = {"rec_word": "a%d", "double": "rec_word_double(a%d)", "float": "rec_word_float(a%d)"}
        word = [forms.get(kind, "(rec_word)&a%d") % i for i, kind in enumerate(self.kinds)]
        integers = ["a%d" % i if kind == "rec_word" else "0" for i, kind in enumerate(self.kinds)]
        hooked = ["args[%d]" % i if self.kinds[i] == "rec_word" else "a%d" % i for i in n]
        passed = ["a%d" % i for i in n]
        values = {
            "api": self.api.name, "S": self.symbol.number, "result": self.result, "name": self.symbol.name,
            "params": ", ".join("%s a%d" % (k, i) for i, k in enumerate(self.kinds)) or "void",
            "types": ", ".join(self.kinds) or "void", "words": ", ".join(passed),
            "hooked_words": ", ".join(hooked), "array": ", ".join(word) or "0",
            "integers": ", ".join(integers) or "0", "failed": self.failed(False),
            "failed_hooked": self.failed(True),
            "result_word": "result" if self.result == "rec_word" else "0",
            "recorded": self.recorded(False), "recorded_hooked": self.recorded(True),
            "linkage": "REC_EXPORT " if self.symbol.exports else "",
        }
        if not self.symbol.exports:
            values["name"] = "%s_wrap_%d" % (self.api.name, self.symbol.number)
        return values

    @property
    def has_optional_error(self):
        return self.symbol.variant.fortran and self.api.failure(self.function) != "never"

    def optional_error(self):
        if not self.has_optional_error:
            return ""
        word = "args[%d]" % self.symbol.error_word
        return OPTIONAL_ERROR % (word, word)

    def fill(self, template, **more):
        return Template(template).substitute(self.values, **more)

    def shape(self):
        """Body of the C function that this wrapper shares with others; None: it has a function of its own."""
        if self.symbol.variadic or self.result != "rec_word" or set(self.kinds) - {"rec_word"}:
            return None
        return self.general("site, frame", S="symbol"), self.optional_error(), len(self.kinds)

    def general(self, site, **more):
        flags = self.function.flags
        if not flags & {"enter", "leave"}:
            return self.fill(GENERAL, site=site, **more)
        hooks = {"enter": self.fill(ENTER) if "enter" in flags else "",
                 "leave": self.fill(LEAVE) if "leave" in flags else ""}
        return self.fill(HOOKED, site=site, **dict(hooks, **more))

    def failures(self, template):
        """What is done about calls that failed, which the template leaves for good where it can."""
        if self.failed(False) == "false":
            return {"first": "", "last": "", "failed_here": "false"}
        if self.result == "rec_word" and "leave" not in self.function.flags:
            return {"first": self.fill(template), "last": "", "failed_here": "false"}
        return {"first": "", "last": self.fill(FAILED), "failed_here": self.failed(False)}

    def fast_hook(self, begin, streamed):
        return self.fill(FAST_HOOK, begin=begin, streamed=streamed) if "leave" in self.function.flags else ""

    @property
    def is_counted(self):
        """A hot query: one increment, then a jump."""
        return self.is_fast and self.api.is_query(self.function)

    @property
    def is_fast(self):
        return "hot" in self.function.flags and not self.symbol.variadic and not self.symbol.variant.rare

    def text(self):
        if self.symbol.variadic:
            return self.fill(VARIADIC)
        if not self.is_fast:
            return self.fill(SIGNATURE) + self.fill(ARGS) + self.general("RETURN, FRAME") + "\n" + self.aliases()
        slow = self.fill(SLOW_STUB) if self.shape() else \
            self.fill(SLOW_HEAD) + self.fill(ARGS) + self.general("RETURN, FRAME") + "\n"
        fast = self.fill(NO_ERROR % self.symbol.error_word) if self.has_optional_error else ""
        if self.is_counted:
            fast += self.fill(QUERY)
        else:
            slow += self.fill(STREAM, stream_hook=self.fast_hook("begin", 1), **self.failures(FAILED_STREAM))
            fast += self.fill(HOT, fast_hook=self.fast_hook("begin", 0), **self.failures(FAILED_FAST))
        return slow + self.fill(SIGNATURE) + fast + "\n" + self.aliases()

    def stub_names(self):
        """What the stub of a wrapper that shares a function is called, with the visibility of each name."""
        if self.is_fast:
            return [("%s_slow_%d" % (self.api.name, self.symbol.number), "hidden")]
        return [(name, "globl") for name in self.symbol.exports] + \
            [("%s_wrap_%d" % (self.api.name, self.symbol.number), "hidden")]

    def aliases(self):
        """The other names of the wrapper, and the hidden one that the tables refer to."""
        lines = []
        if self.symbol.exports:
            lines.append('extern %s %s(%s) __attribute__((alias("%s"), visibility("hidden")));\n' % (
                self.result, "%s_wrap_%d" % (self.api.name, self.symbol.number), self.values["types"],
                self.symbol.name))
        for name in self.symbol.exports[1:]:
            lines.append('REC_EXPORT %s %s(%s) __attribute__((alias("%s")));\n' % (
                self.result, name, self.values["types"], self.symbol.name))
        return "".join(lines) + "\n"


def struct_name(api, kind):
    return "struct %s_by_value_%s" % (api.name, re.sub(r"\W", "_", kind.replace("struct ", "")))


def field_type(width):
    words = {"f64": "double", "f32": "float", "ptr": "void *", "handle": "rec_word"}
    return words.get(width) or {"i": "int%s_t", "u": "uint%s_t"}[width[0]] % width[1:]


def structs_text(api):
    """Structures that the API passes by value, with the layout of the vendor's; `struct x` and `x` are one."""
    structs = OrderedDict((struct_name(api, kind), fields) for kind, fields in api.structs.items())
    return "".join("%s { %s };\n\n" % (name, " ".join("%s %s;" % (field_type(width), field) for field, width in fields))
                   for name, fields in structs.items())


def shapes_of(wrappers):
    """Wrappers by what the function that they share has to do."""
    shapes = OrderedDict()
    for wrapper in wrappers:
        if wrapper.shape():
            shapes.setdefault(wrapper.shape(), []).append(wrapper)
    return shapes


def around_stubs(api):
    """What a runtime calls back before and after each call: the hand-written part, with the number of the function."""
    symbols = around_symbols(api)
    return [("%s_%s" % (api.name, when), 4, [(number, [("%s_%s_%d" % (api.name, when, number), "hidden")])
                                             for number in range(len(symbols))], True)
            for when in ("before", "after") if symbols]


def write_wrappers(api, path_of):
    """Wrappers with an inline path into one file, which is worth -O2; the rest, which only hand over to the recorder,
    into another, and the stubs of those that share a function into a file of assembly."""
    wrappers = [Wrapper(api, symbol) for symbol in api.symbols if not symbol.variant.reported]
    text, stubs = "", []
    for number, ((body, error, words), sharing) in enumerate(shapes_of(wrappers).items()):
        function = "%s_shape_%d" % (api.name, number)
        text += Template(SHAPE).substitute(function=function, error=error, body=body)
        stubs.append((function, words, [(wrapper.symbol.number, wrapper.stub_names()) for wrapper in sharing], False))
    stubs += around_stubs(api)
    text += "".join(wrapper.text() for wrapper in wrappers if not wrapper.is_fast and not wrapper.shape())
    fast = "".join(wrapper.text() for wrapper in wrappers if wrapper.is_fast)
    for part, content in (("fast", fast), ("wrap", text)):
        with open(path_of(part + ".c"), "w") as stream:
            stream.write(Template(HEAD).substitute(api=api.name, part=part) + content)
    with open(path_of("stubs.S"), "w") as stream:
        stream.write(stubs_text(api, stubs))
