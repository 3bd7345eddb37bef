/* SPDX-License-Identifier: BSD-3-Clause */
#include "info.h"

#include <stdio.h>
#include <string.h>

#include <apeni/apeni.h>

#include "engine/core/ni.h"

/* Which links an interface would have here, by opening one. */

/* The origin of a parameter's value beside the value. */
static void add_parameter(struct info_facts *facts)
{
    for (size_t i = 0; i < ni_param_count; i++) {
        const struct ni_param *param = &ni_params[i];
        char value[64];

        if (strcmp(param->name, "links") == 0) {
            (void)ni_param_format(param, value, sizeof(value));
            info_add_text(facts, "parameter", "%s (%s)", value, ni_param_origin(param));
        }
    }
}

static void add_job(struct info_facts *facts, const char *key, unsigned hosts)
{
    const struct ni_open_attr attr = {.hosts = hosts};
    uint8_t blob[NI_BLOB_MAX];
    char text[160] = "";
    size_t used = 0;
    struct ni *ni;
    ni_status status = ni_open(&attr, &ni);

    if (status != NI_OK) {
        info_add_text(facts, key, "none: %s", ni_status_text(status));
        return;
    }
    for (unsigned i = 0; i < ni->life.link_count && used < sizeof(text); i++) {
        used += (size_t)snprintf(text + used, sizeof(text) - used, "%s%s (%s)",
                                 i == 0 ? "" : ", otherwise ", ni->life.links[i]->ops->name,
                                 ni->life.links[i]->ops->help);
    }
    info_add_text(facts, key, "%s; address of %zu bytes", text, ni_address(ni, blob, sizeof(blob)));
    ni_close(ni);
}

void info_gather_links(struct info_facts *facts)
{
    facts->key = "links";
    facts->title = "Links";
    add_parameter(facts);
    add_job(facts, "job_on_one_host", 1);
    add_job(facts, "job_on_several_hosts", 2);
}
