/* SPDX-License-Identifier: BSD-3-Clause */
/* As rec_dlsym_x86_64.S: dlsym(handle x0, name x1), dlvsym(handle x0, name x1, version x2). */
#if defined(__aarch64__)
	.text

	.macro override name, real, version
	.globl \name
	.type \name, %function
\name:
	.cfi_startproc
	stp x29, x30, [sp, #-48]!
	.cfi_def_cfa_offset 48
	.cfi_offset x29, -48
	.cfi_offset x30, -40
	stp x0, x1, [sp, #16]
	str x2, [sp, #32]
	mov x3, x30
	.if \version == 0
	mov x2, #0
	.endif
	bl rec_dlsym_pick
	mov x9, x0
	ldr x2, [sp, #32]
	ldp x0, x1, [sp, #16]
	ldp x29, x30, [sp], #48
	.cfi_def_cfa_offset 0
	.cfi_restore x29
	.cfi_restore x30
	cmn x9, #1
	b.eq 1f
	mov x0, x9
	ret
1:	adrp x9, \real
	ldr x9, [x9, #:lo12:\real]
	cbz x9, 2f
	br x9
2:	mov x0, #0
	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	override dlsym, rec_real_dlsym, 0
	override dlvsym, rec_real_dlvsym, 1
#endif

	.section .note.GNU-stack, "", %progbits
