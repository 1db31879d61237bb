/* SPDX-License-Identifier: BSD-3-Clause */
/* With the vendor's own header, where it is installed: "outer" around "domain:inner", a mark, a started one. */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>

int main(void)
{
	nvtxDomainHandle_t domain = nvtxDomainCreateA("domain");
	nvtxEventAttributes_t attributes = { 0 };
	nvtxRangeId_t id;
	int level;

	attributes.version = NVTX_VERSION;
	attributes.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
	attributes.messageType = NVTX_MESSAGE_TYPE_ASCII;
	attributes.message.ascii = "inner";
	level = nvtxRangePushA("outer");
	nvtxDomainRangePushEx(domain, &attributes);
	nvtxMarkA("mark");
	nvtxDomainRangePop(domain);
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = nvtxDomainRegisterStringA(domain, "started");
	id = nvtxDomainRangeStartEx(domain, &attributes);
	nvtxDomainRangeEnd(domain, id);
	nvtxRangePop();
	printf("level=%d\n", level);
	return 0;
}
