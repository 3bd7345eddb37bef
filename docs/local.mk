# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += docs/architecture.md docs/collectives.md docs/commands.md docs/counters.md docs/figures.md docs/matching.md docs/notify.md \
    docs/placement.md docs/qp.md docs/queues.md docs/stores.md docs/wire.md
