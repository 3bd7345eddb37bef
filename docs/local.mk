# SPDX-License-Identifier: BSD-3-Clause

EXTRA_DIST += docs/architecture.md docs/collectives.md docs/commands.md docs/counters.md docs/figures.md docs/files.md docs/glossary.md docs/links.md docs/matching.md docs/multipath.md docs/notify.md docs/onesided.md \
    docs/papers.md docs/placement.md docs/pml_hooks.md docs/qp.md docs/stamps.md docs/queues.md docs/sheet.md docs/stores.md docs/topology.md docs/wire.md
EXTRA_DIST += docs/pictures/report-costs.png docs/pictures/report-matrix.png docs/pictures/report-pair.png docs/pictures/report-time.png
EXTRA_DIST += docs/lab/all-transports.md docs/lab/engine.md docs/lab/hosts.md docs/lab/matching.md docs/lab/other-machines.md docs/lab/papers.md docs/lab/patterns.md docs/lab/presto.md docs/lab/primitives.md \
    docs/lab/transport.md
