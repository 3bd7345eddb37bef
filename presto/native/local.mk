# SPDX-License-Identifier: BSD-3-Clause
# The native interface: APEnet+ Table 11, and what a user misses at once.

include_HEADERS = presto/include/presto.h
dist_man3_MANS = docs/man/presto.3
EXTRA_DIST += docs/presto.md

# Each function has the manual page under its own name, too: those of the page's synopsis.
presto_man_names = sed -n 's/^\.BI* "[a-z ]*\**\(pr_[a-z_]*\)(.*/\1/p' '$(srcdir)/docs/man/presto.3'

install-data-hook:
	@for name in $$($(presto_man_names)); do \
	    echo '.so man3/presto.3' >"$(DESTDIR)$(man3dir)/$$name.3" || exit 1; \
	done

uninstall-hook:
	@for name in $$($(presto_man_names)); do rm -f "$(DESTDIR)$(man3dir)/$$name.3"; done

presto_libpresto_core_la_SOURCES += \
    presto/include/presto.h \
    presto/native/coll.c \
    presto/native/error.c \
    presto/native/group.c \
    presto/native/init.c \
    presto/native/native.h \
    presto/native/probe.c \
    presto/native/recv.c \
    presto/native/request.c \
    presto/native/send.c
