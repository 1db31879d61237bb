# SPDX-License-Identifier: BSD-3-Clause
"""Writes the assembly of plain wrappers: per symbol two instructions, per shape one entry.

A plain wrapper differs from hundreds of others by its symbol's number alone, and so does what the inline path of a hot
one refuses. So the symbol is a stub that loads the
number and jumps; the entry of the shape stores the argument words side by side and calls the shape's C function, as
    rec_word api_shape_N(rec_word *args, uint32_t symbol, const void *site, uintptr_t frame)
with return address and frame of the program's call. A compiler needs 4 ms for such a wrapper, the assembler 40 us.
"""

HEAD = """/* SPDX-License-Identifier: BSD-3-Clause */
/* Stubs of %s: made by tools/apigen.py, explained in tools/api_stub.py. */
	.text

	/* another name for the stub that follows */
	.macro also name, visibility
	.globl \\name
	.\\visibility \\name
	.type \\name, %%function
\\name:
	.endm

#if defined(__x86_64__)
	.macro stub symbol, shape
	mov $\\symbol, %%eax
	jmp \\shape
	.endm
#elif defined(__aarch64__)
	.macro stub symbol, shape
	mov w9, #\\symbol
	b \\shape
	.endm
#else
#error "no stubs for this architecture"
#endif
"""

TAIL = '\n\t.section .note.GNU-stack, "", %progbits\n'
X86_64 = ["rdi", "rsi", "rdx", "rcx", "r8", "r9"]


def x86_64(function, words):
    room = (8 * words + 15) & -16
    lines = ["push %rbp", ".cfi_def_cfa_offset 16", ".cfi_offset %rbp, -16", "mov %rsp, %rbp",
             ".cfi_def_cfa_register %rbp"]
    lines += ["sub $%d, %%rsp" % room] if room else []
    lines += ["mov %%%s, %d(%%rsp)" % (register, 8 * i) for i, register in enumerate(X86_64[:words])]
    for i in range(len(X86_64), words):
        lines += ["mov %d(%%rbp), %%r11" % (16 + 8 * (i - len(X86_64))), "mov %%r11, %d(%%rsp)" % (8 * i)]
    return lines + ["mov %rsp, %rdi", "mov %eax, %esi", "mov 8(%rbp), %rdx", "lea 16(%rbp), %rcx", "call " + function,
                    "leave", ".cfi_def_cfa %rsp, 8", ".cfi_restore %rbp", "ret"]


def aarch64(function, words):
    room = 16 + ((8 * words + 15) & -16)
    lines = ["stp x29, x30, [sp, #-%d]!" % room, ".cfi_def_cfa_offset %d" % room, ".cfi_offset x29, -%d" % room,
             ".cfi_offset x30, -%d" % (room - 8), "mov x29, sp"]
    lines += ["str x%d, [sp, #%d]" % (i, 16 + 8 * i) for i in range(min(words, 8))]
    for i in range(8, words):
        lines += ["ldr x10, [sp, #%d]" % (room + 8 * (i - 8)), "str x10, [sp, #%d]" % (16 + 8 * i)]
    return lines + ["add x0, sp, #16", "mov w1, w9", "mov x2, x30", "add x3, sp, #%d" % room, "bl " + function,
                    "ldp x29, x30, [sp], #%d" % room, ".cfi_def_cfa_offset 0", ".cfi_restore x29",
                    ".cfi_restore x30", "ret"]


def entry_text(function, words, weak):
    """Where the stubs of a shape jump to. weak: what they end in may be missing."""
    name = function + "_entry"
    lines = [".hidden " + function] + ([".weak " + function] if weak else [])
    lines += [".type %s, %%function" % name, name + ":", ".cfi_startproc"]
    body = ["#if defined(__x86_64__)"] + x86_64(function, words) + ["#else"] + aarch64(function, words) + ["#endif"]
    lines += body + [".cfi_endproc", ".size %s, . - %s" % (name, name)]
    return "\n" + "".join("%s%s\n" % ("" if line[0] == "#" or line[-1] == ":" else "\t", line) for line in lines)


def stub_text(number, names, function):
    sizes = "".join("\t.size %s, . - %s\n" % (name, name) for name, _ in names[:1])
    return "%s\tstub %d, %s_entry\n%s" % ("".join("\talso %s, %s\n" % name for name in names), number, function, sizes)


def stubs_text(api, shapes):
    """shapes: (name of the C function, words, stubs as (number of the symbol, names with their visibility), weak).

    All stubs are one region for unwinding: none has a frame.
    """
    entries = "".join(entry_text(function, words, weak) for function, words, _, weak in shapes)
    stubs = "".join(stub_text(number, names, function)
                    for function, _, sharing, _ in shapes for number, names in sharing)
    return "%s%s\n\t.cfi_startproc\n%s\t.cfi_endproc\n%s" % (HEAD % api.name, entries, stubs, TAIL)
