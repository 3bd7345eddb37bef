/* SPDX-License-Identifier: BSD-3-Clause */
/* Reports to the master. */
#include "hfm/notifier.h"

#include "base/bits.h"

void hfm_notifier_init(struct hfm_notifier *notifier, uint32_t node,
                       const uint32_t about[HFM_SUBJECTS], uint64_t session, uint64_t period)
{
    *notifier = (struct hfm_notifier){.node = node, .session = session, .period = period};
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        notifier->subject[i].about = about[i];
    }
}

void hfm_notifier_learn(struct hfm_notifier *notifier, unsigned subject, uint32_t fault)
{
    struct hfm_subject *about = &notifier->subject[subject];

    about->fault = fault;
    about->worst = hfm_fault_worst(about->worst, fault);
    about->owed = true;
}

void hfm_notifier_found(struct hfm_notifier *notifier, uint64_t master)
{
    if (master <= notifier->master) {
        return;
    }
    notifier->master = master;
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        struct hfm_subject *about = &notifier->subject[i];

        if (about->number != 0) {
            about->worst = hfm_fault_worst(about->worst, about->said_worst);
            about->number = 0;
        }
        about->owed = about->owed || about->worst != 0;
    }
}

/* When a subject's report is to be sent, first or again. */
static uint64_t subject_due(const struct hfm_notifier *notifier, const struct hfm_subject *about)
{
    if (about->number != 0) {
        return about->sent_at + notifier->period;
    }
    return about->owed ? 0 : UINT64_MAX;
}

uint64_t hfm_notifier_due(const struct hfm_notifier *notifier)
{
    uint64_t due = UINT64_MAX;

    for (unsigned i = 0; i < HFM_SUBJECTS && notifier->master != 0; i++) {
        due = ni_min_u64(due, subject_due(notifier, &notifier->subject[i]));
    }
    return due;
}

/* Make the report of what is owed. What is learnt from now on is not in it. */
static void make_report(struct hfm_notifier *notifier, struct hfm_subject *about)
{
    about->number = ++notifier->number;
    about->said = about->fault;
    about->said_worst = about->worst;
    about->worst = about->fault;
    about->owed = false;
}

bool hfm_notifier_next(struct hfm_notifier *notifier, uint64_t now, struct hfm_message *message)
{
    for (unsigned i = 0; i < HFM_SUBJECTS && notifier->master != 0; i++) {
        struct hfm_subject *about = &notifier->subject[i];

        if (subject_due(notifier, about) > now) {
            continue;
        }
        if (about->number == 0) {
            make_report(notifier, about);
        }
        about->sent_at = now;
        *message = (struct hfm_message){.kind = HFM_REPORT,
                                        .from = notifier->node,
                                        .subject = (uint8_t)i,
                                        .about = about->about,
                                        .fault = about->said,
                                        .worst = about->said_worst,
                                        .session = notifier->session,
                                        .answers = notifier->master,
                                        .number = about->number};
        return true;
    }
    return false;
}

void hfm_notifier_acknowledged(struct hfm_notifier *notifier, const struct hfm_message *message)
{
    for (unsigned i = 0; i < HFM_SUBJECTS; i++) {
        struct hfm_subject *about = &notifier->subject[i];

        if (message->kind == HFM_ACK && message->answers == notifier->session &&
            message->session == notifier->master && about->number != 0 &&
            about->number == message->number) {
            about->number = 0;
        }
    }
}
