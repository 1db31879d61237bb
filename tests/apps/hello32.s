# SPDX-License-Identifier: BSD-3-Clause
# The same for a 32-bit process without libc: as --32, ld -m elf_i386.
	.globl _start
	.text
_start:
	movl $4, %eax
	movl $1, %ebx
	movl $text, %ecx
	movl $6, %edx
	int $0x80
	movl $1, %eax
	movl $3, %ebx
	int $0x80
	.section .rodata
text:	.ascii "hello\n"
	.section .note.GNU-stack,"",@progbits
