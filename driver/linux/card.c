/* SPDX-License-Identifier: BSD-3-Clause OR GPL-2.0-only */
/* The card as a function of PCI. */
#include <linux/idr.h>
#include <linux/interrupt.h>
#include <linux/io.h>
#include <linux/module.h>
#include <linux/random.h>
#include <linux/slab.h>

#include "apelink.h"

/* How often to look for signs of life, and how often in vain. Looks are counted, not time: a
 * machine that was stopped finds that much time has gone by. */
enum { PULSE = HZ, SILENT = 20 };

static DEFINE_IDA(indices);

static void card_free(struct kref *kref)
{
    struct apelink_card *card = container_of(kref, struct apelink_card, kref);

    if (card->bar != NULL) {
        memunmap(card->bar);
    }
    pci_dev_put(card->pci);
    kfree(card);
}

void apelink_card_put(struct apelink_card *card)
{
    kref_put(&card->kref, card_free);
}

static void wake_all(struct apelink_card *card)
{
    unsigned int port;

    wake_up_all(&card->answered);
    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        wake_up_all(&card->events[port]);
    }
}

/* From now on it reaches no memory and nobody waits for it. */
void apelink_card_lose(struct apelink_card *card, const char *why)
{
    if (!xchg(&card->gone, true)) {
        WRITE_ONCE(card->bar->master, 0);
        writel(0, card->ring); /* the card closes all channels */
        pci_info(card->pci, "%s: %s\n", card->name, why);
    }
    wake_all(card);
}

/* A card that was killed says nothing. */
static void pulse(struct work_struct *work)
{
    struct apelink_card *card = container_of(work, struct apelink_card, pulse.work);
    u32 beat = READ_ONCE(card->bar->beat);

    if (READ_ONCE(card->bar->there) == 0) {
        apelink_card_lose(card, "the card has gone");
    } else if (beat != card->last_beat) {
        card->last_beat = beat;
        card->silent = 0;
    } else if (++card->silent >= SILENT) {
        apelink_card_lose(card, "no sign of life from the card");
    }
    if (!apelink_card_gone(card)) {
        schedule_delayed_work(&card->pulse, PULSE);
    }
}

static irqreturn_t on_answer(int irq, void *arg)
{
    struct apelink_card *card = arg;

    wake_up_all(&card->answered);
    if (READ_ONCE(card->bar->there) == 0) {
        mod_delayed_work(system_wq, &card->pulse, 0);
    }
    return IRQ_HANDLED;
}

static irqreturn_t on_events(int irq, void *arg)
{
    wake_up_all(arg);
    return IRQ_HANDLED;
}

static int map_bars(struct apelink_card *card)
{
    struct pci_dev *pci = card->pci;
    void __iomem *registers;
    int status = pcim_enable_device(pci);

    if (status == 0) {
        status = pcim_iomap_regions(pci, BIT(0), "apelink");
    }
    if (status != 0) {
        return status;
    }
    registers = pcim_iomap_table(pci)[0];
    card->ring = registers + APELINK_BAR_RING;
    card->bar_start = pci_resource_start(pci, 2);
    if (pci_resource_len(pci, 2) < APELINK_BAR_BYTES) {
        return -ENODEV;
    }
    status = pci_request_region(pci, 2, "apelink"); /* until removal, as all that is managed */
    if (status != 0) {
        return status;
    }
    /* It is memory: cached, for programs as well. Files may look at it after removal. */
    card->bar = memremap(card->bar_start, APELINK_BAR_BYTES, MEMREMAP_WB);
    if (card->bar == NULL) {
        return -ENOMEM;
    }
    /* Pairs with the card's release: the rest of page 0 is there. */
    if (smp_load_acquire(&card->bar->magic) != APELINK_BAR_MAGIC) {
        return -ENODEV; /* another's shared memory */
    }
    if (card->bar->version != APELINK_BAR_VERSION || card->bar->channels != APELINK_BAR_CHANNELS) {
        pci_err(pci, "the card is of version %u with %u channels; this driver knows %u with %u\n",
                card->bar->version, card->bar->channels, APELINK_BAR_VERSION, APELINK_BAR_CHANNELS);
        return -ENODEV;
    }
    return 0;
}

static int take_vectors(struct apelink_card *card)
{
    struct pci_dev *pci = card->pci;
    unsigned int port;
    int status;

    pci_set_master(pci); /* interrupts are messages */
    status = pci_alloc_irq_vectors(pci, APELINK_BAR_VECTORS, APELINK_BAR_VECTORS, PCI_IRQ_MSIX);

    if (status < 0) {
        pci_err(pci, "no %u vectors of MSI-X: -device ivshmem-doorbell,vectors=%u is wanted\n",
                APELINK_BAR_VECTORS, APELINK_BAR_VECTORS);
        return status;
    }
    status = devm_request_irq(&pci->dev, pci_irq_vector(pci, 0), on_answer, 0, "apelink", card);
    for (port = 0; port < APELINK_BAR_CHANNELS && status == 0; port++) {
        status = devm_request_irq(&pci->dev, pci_irq_vector(pci, 1 + port), on_events, 0,
                                  "apelink-events", &card->events[port]);
    }
    return status;
}

/* Show the card where our memory is. */
static int reset(struct apelink_card *card)
{
    struct apelink_bar_request request = {.operation = APELINK_BAR_RESET};
    u64 *probe = (u64 *)get_zeroed_page(GFP_KERNEL);
    int status;

    if (probe == NULL) {
        return -ENOMEM;
    }
    get_random_bytes(probe, sizeof *probe);
    request.address = virt_to_phys(probe);
    request.probe = *probe;
    WRITE_ONCE(card->bar->master, 1);
    status = apelink_ask(card, &request);
    if (status == -ENXIO) {
        pci_err(card->pci, "the card does not reach this machine's memory, which has to be the "
                           "shared file that its configuration names\n");
    }
    free_page((unsigned long)probe);
    return status;
}

static struct apelink_card *new_card(struct pci_dev *pci)
{
    struct apelink_card *card = kzalloc(sizeof *card, GFP_KERNEL);
    unsigned int port;

    if (card == NULL) {
        return ERR_PTR(-ENOMEM);
    }
    card->index = ida_alloc(&indices, GFP_KERNEL);
    if (card->index < 0) {
        int status = card->index;

        kfree(card);
        return ERR_PTR(status);
    }
    kref_init(&card->kref);
    card->pci = pci_dev_get(pci);
    snprintf(card->name, sizeof card->name, "apelink%d", card->index);
    card->misc.minor = MISC_DYNAMIC_MINOR;
    card->misc.name = card->name;
    card->misc.fops = &apelink_file_operations;
    card->misc.parent = &pci->dev;
    mutex_init(&card->mailbox);
    init_waitqueue_head(&card->answered);
    for (port = 0; port < APELINK_BAR_CHANNELS; port++) {
        init_waitqueue_head(&card->events[port]);
    }
    init_rwsem(&card->maps);
    mutex_init(&card->files_lock);
    INIT_LIST_HEAD(&card->files);
    INIT_DELAYED_WORK(&card->pulse, pulse);
    return card;
}

/* Interrupts have ended, which want it; BARs are still mapped, which it uses. */
static void stop_pulse(void *arg)
{
    struct apelink_card *card = arg;

    cancel_delayed_work_sync(&card->pulse);
}

/* The last that happens. Files that are open still have the card; its name is free. */
static void end(void *arg)
{
    struct apelink_card *card = arg;

    ida_free(&indices, card->index);
    apelink_card_put(card);
}

static int probe(struct pci_dev *pci, const struct pci_device_id *id)
{
    struct apelink_card *card = new_card(pci);
    int status;

    if (IS_ERR(card)) {
        return PTR_ERR(card);
    }
    pci_set_drvdata(pci, card);
    status = devm_add_action_or_reset(&pci->dev, end, card);
    if (status == 0) {
        status = map_bars(card);
    }
    if (status == 0) {
        status = devm_add_action_or_reset(&pci->dev, stop_pulse, card);
    }
    if (status == 0) {
        status = take_vectors(card);
    }
    if (status != 0) {
        return status;
    }
    schedule_delayed_work(&card->pulse, PULSE);
    status = reset(card);
    if (status == 0) {
        status = misc_register(&card->misc);
    }
    if (status == 0) {
        pci_info(pci, "/dev/%s\n", card->name);
    } else {
        apelink_card_lose(card, "is not used");
    }
    return status;
}

static void remove(struct pci_dev *pci)
{
    struct apelink_card *card = pci_get_drvdata(pci);
    struct apelink_file *file;

    misc_deregister(&card->misc);
    apelink_ask_no_more(card, "removed");
    mutex_lock(&card->files_lock);
    list_for_each_entry(file, &card->files, in_card) {
        apelink_file_unmap(file, apelink_port(file));
    }
    mutex_unlock(&card->files_lock);
}

/* The machine ends, or begins anew: its memory becomes another's. */
static void shutdown(struct pci_dev *pci)
{
    apelink_ask_no_more(pci_get_drvdata(pci), "shut down");
}

static const struct pci_device_id ids[] = {
    {PCI_DEVICE(APELINK_BAR_VENDOR, APELINK_BAR_DEVICE)},
    {},
};
MODULE_DEVICE_TABLE(pci, ids);

static struct pci_driver apelink_driver = {
    .name = "apelink",
    .id_table = ids,
    .probe = probe,
    .remove = remove,
    .shutdown = shutdown,
};
module_pci_driver(apelink_driver);

MODULE_DESCRIPTION("APEnet+ cards of apelink-board");
MODULE_LICENSE("Dual BSD/GPL");
