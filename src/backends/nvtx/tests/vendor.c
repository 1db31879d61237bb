/* SPDX-License-Identifier: BSD-3-Clause */
/*
 * With the vendor's own header, where it is installed: "outer" around "domain:inner", a mark, a started one; payloads,
 * categories and the thread's name.
 */
#include <nvtx3/nvToolsExt.h>
#include <stdio.h>
#include <unistd.h>
#include <sys/syscall.h>

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
	attributes.category = 7;
	attributes.payloadType = NVTX_PAYLOAD_TYPE_INT32;
	attributes.payload.iValue = -5;
	nvtxNameOsThreadA((uint32_t)syscall(SYS_gettid), "vendor's");
	nvtxNameCategoryA(7, "of no domain");
	nvtxDomainNameCategoryA(domain, 7, "of the domain");
	level = nvtxRangePushA("outer");
	nvtxDomainRangePushEx(domain, &attributes);
	nvtxMarkA("mark");
	nvtxDomainRangePop(domain);
	attributes.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
	attributes.message.registered = nvtxDomainRegisterStringA(domain, "started");
	attributes.payloadType = NVTX_PAYLOAD_TYPE_FLOAT;
	attributes.payload.fValue = 0.5f;
	id = nvtxDomainRangeStartEx(domain, &attributes);
	nvtxDomainRangeEnd(domain, id);
	nvtxRangePop();
	printf("level=%d\n", level);
	return 0;
}
