/* SPDX-License-Identifier: BSD-3-Clause */
/* The same on every API: two buffers, 5 copies to the device, a fill, 100 kernels, 3 copies back. */
#include "face.h"

#define ITEMS 1024

int main(void)
{
	static int data[ITEMS];
	void *work, *other;

	face.start();
	work = face.allocate(sizeof(data));
	other = face.allocate(2 * sizeof(data));
	for (int i = 0; i < 5; i++)
		face.to_device(work, data, sizeof(data));
	face.clear(other, 2 * sizeof(data));
	for (int i = 0; i < 100; i++)
		face.add_one(work, ITEMS);
	face.finish();
	for (int i = 0; i < 3; i++)
		face.from_device(data, work, sizeof(data));
	face.release(work);
	face.release(other);
	if (face.computes && (data[0] != 100 || data[ITEMS - 1] != 100))
		return 4;
	printf("done\n");
	return 0;
}
