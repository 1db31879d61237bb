/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * File systems on which a tally is mapped: elsewhere (NFS, Lustre, btrfs, ZFS) a store into a mapping can be
 * SIGBUS although its page was populated. Asked by the launcher for a place and by the recorder for its file.
 */
#ifndef SONDE_FORMAT_MAPPABLE_H
#define SONDE_FORMAT_MAPPABLE_H

#include <stdbool.h>
#include <stdint.h>

/* type: f_type of struct statfs */
static inline bool fmt_is_mappable(uint64_t type)
{
	switch ((uint32_t)type) {
	case 0x01021994: /* tmpfs */
	case 0x858458f6: /* ramfs */
	case 0xef53:     /* ext2, ext3, ext4 */
	case 0x58465342: /* xfs */
	case 0x794c7630: /* overlayfs: what lies beneath is one of these in practice */
		return true;
	default:
		return false;
	}
}

#endif
