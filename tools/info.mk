# SPDX-License-Identifier: BSD-3-Clause
# apeni-info, its manual page, and docs/parameters.md, which it makes.

bin_PROGRAMS += tools/apeni-info

tools_apeni_info_SOURCES = \
    tools/apeni-info.c \
    tools/info.h \
    tools/info_board.c \
    tools/info_build.c \
    tools/info_facts.c \
    tools/info_faults.c \
    tools/info_host.c \
    tools/info_links.c \
    tools/info_params.c \
    tools/info_svg.c \
    tools/info_topology.c \
    tools/info_topology.h
tools_apeni_info_CPPFLAGS = $(AM_CPPFLAGS) $(DNP_CPPFLAGS)
tools_apeni_info_LDADD = dnp/libdnp.la

dist_man1_MANS += docs/man/apeni-info.1
EXTRA_DIST += docs/parameters.md

# A change of ni/base/params.def is followed by this, and commits the result; a test compares.
parameters: tools/apeni-info
	$(AM_V_GEN)env -i tools/apeni-info --params --markdown >$(srcdir)/docs/parameters.md.tmp && \
	    mv $(srcdir)/docs/parameters.md.tmp $(srcdir)/docs/parameters.md

.PHONY: parameters
