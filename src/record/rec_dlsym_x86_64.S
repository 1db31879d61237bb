/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * dlsym(handle rdi, name rsi), dlvsym(handle rdi, name rsi, version rdx): ask rec_dlsym_pick; where it
 * says pass (-1), jump to libc's with everything as it was, so that it sees the caller.
 */
#if defined(__x86_64__)
	.text

	.macro override name, real, version
	.globl \name
	.type \name, @function
\name:
	.cfi_startproc
	endbr64
	push %rdi
	.cfi_adjust_cfa_offset 8
	push %rsi
	.cfi_adjust_cfa_offset 8
	push %rdx
	.cfi_adjust_cfa_offset 8
	.if \version == 0
	xor %edx, %edx
	.endif
	mov 24(%rsp), %rcx
	call rec_dlsym_pick
	pop %rdx
	.cfi_adjust_cfa_offset -8
	pop %rsi
	.cfi_adjust_cfa_offset -8
	pop %rdi
	.cfi_adjust_cfa_offset -8
	cmp $-1, %rax
	je 1f
	ret
1:	mov \real(%rip), %rax
	test %rax, %rax
	jz 2f
	jmp *%rax
2:	ret
	.cfi_endproc
	.size \name, . - \name
	.endm

	override dlsym, rec_real_dlsym, 0
	override dlvsym, rec_real_dlvsym, 1
#endif

	.section .note.GNU-stack, "", %progbits
