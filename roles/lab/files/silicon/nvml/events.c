/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Xid events. They come from the settings, which travel into containers: "xid = MINOR:XID:SERIAL";
 * a new SERIAL, from 1 on, is a new event. */
#include "call.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define POLL_MS 100

struct nvmlEventSet_st {
    unsigned long long registered[MAX_GPUS];
    long last_serial;
};

struct xid_event {
    int minor;
    unsigned long long xid;
    long serial;
};

static struct xid_event latest_event(void)
{
    char text[SETTING_SIZE];
    struct xid_event event;

    setting_text(EVERY_GPU, "xid", "", text);
    if (sscanf(text, "%d:%llu:%ld", &event.minor, &event.xid, &event.serial) != 3 || event.minor < 0
        || event.minor >= MAX_GPUS)
        return (struct xid_event){ 0 };
    return event;
}

nvmlReturn_t nvmlDeviceGetSupportedEventTypes(nvmlDevice_t device, unsigned long long *types)
{
    BEGIN_DEVICE(types);
    *types = nvmlEventTypeXidCriticalError | nvmlEventTypeSingleBitEccError | nvmlEventTypeDoubleBitEccError;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetCreate(nvmlEventSet_t *set)
{
    BEGIN(set);
    set->handle = calloc(1, sizeof *set->handle);
    if (!set->handle)
        return NVML_ERROR_MEMORY;
    set->handle->last_serial = latest_event().serial; /* what was before isn't an event for this set */
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlDeviceRegisterEvents(nvmlDevice_t device, unsigned long long types, nvmlEventSet_t set)
{
    BEGIN_DEVICE(set.handle);
    set.handle->registered[minor] |= types;
    return NVML_SUCCESS;
}

nvmlReturn_t nvmlEventSetFree(nvmlEventSet_t set)
{
    BEGIN(set.handle);
    free(set.handle);
    return NVML_SUCCESS;
}

static void wait_ms(unsigned ms)
{
    struct timespec pause = { ms / 1000, ms % 1000 * 1000000L };

    nanosleep(&pause, NULL);
}

static int take_event(struct nvmlEventSet_st *set, nvmlEventData_t *data)
{
    struct xid_event event = latest_event();

    if (event.serial == 0 || event.serial == set->last_serial)
        return 0;
    set->last_serial = event.serial;
    if (!(set->registered[event.minor] & nvmlEventTypeXidCriticalError))
        return 0;
    *data = (nvmlEventData_t){
        .device = device_of(event.minor),
        .eventType = nvmlEventTypeXidCriticalError,
        .eventData = event.xid,
        .gpuInstanceId = 0xFFFFFFFF,
        .computeInstanceId = 0xFFFFFFFF,
    };
    return 1;
}

nvmlReturn_t nvmlEventSetWait_v2(nvmlEventSet_t set, nvmlEventData_t *data, unsigned timeout_ms)
{
    nvmlReturn_t begun = begin_call(EVERY_GPU, __func__, set.handle && data);

    if (begun != NVML_SUCCESS) {
        wait_ms(timeout_ms); /* the device plugin calls again at once */
        return begun;
    }
    for (unsigned left = timeout_ms;;) {
        unsigned pause = left < POLL_MS ? left : POLL_MS;

        if (take_event(set.handle, data))
            return NVML_SUCCESS;
        if (left == 0)
            return NVML_ERROR_TIMEOUT;
        wait_ms(pause);
        left -= pause;
    }
}
