/* SPDX-License-Identifier: BSD-3-Clause */
/* The service network monitor. */
#include "hfm/service.h"

void hfm_service_init(struct hfm_service *service, uint64_t period, uint64_t now)
{
    *service = (struct hfm_service){.period = period, .asked_at = now - period};
}

uint64_t hfm_service_due(const struct hfm_service *service)
{
    return service->asked_at + service->period;
}

bool hfm_service_step(struct hfm_service *service, uint64_t now)
{
    uint64_t due = hfm_service_due(service);

    if (now < due) {
        return false;
    }
    if (service->asked > 0 && !service->answered && now - due < service->period) {
        service->missed += service->missed < 2;
    }
    service->asked++;
    service->asked_at = now;
    service->answered = false;
    return true;
}

void hfm_service_pong(struct hfm_service *service, uint64_t number)
{
    if (number == 0 || number > service->asked || service->asked - number > 1) {
        return;
    }
    service->answered = true;
    service->missed = 0;
}

enum dnp_status hfm_service_status(const struct hfm_service *service)
{
    return service->missed == 2 ? DNP_BROKEN : DNP_NORMAL;
}
