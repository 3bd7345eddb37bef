# SPDX-License-Identifier: BSD-3-Clause

if HAVE_OMPI
bin_SCRIPTS += tools/apelink-env
dist_man1_MANS += docs/man/apelink-env.1
else
EXTRA_DIST += docs/man/apelink-env.1
endif

CLEANFILES += tools/apelink-env

EXTRA_DIST += \
    tools/apelink-env.in \
    tools/common.sh \
    tools/legacy \
    tools/packages \
    tools/quickstart \
    tools/sheet \
    tools/test \
    tools/stages/list \
    tools/stages/check \
    tools/stages/distcheck \
    tools/stages/fuzz \
    tools/stages/install \
    tools/stages/kunit \
    tools/stages/legacy \
    tools/stages/machine \
    tools/stages/mpi

tools/apelink-env: tools/apelink-env.in Makefile
	$(AM_V_GEN)$(MKDIR_P) tools && \
	    sed -e 's|@OMPI_COMPONENT_DIR[@]|$(ompicomponentdir)|g' -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
	        $(srcdir)/tools/apelink-env.in >$@.tmp && \
	    chmod +x $@.tmp && mv $@.tmp $@

include tools/info.mk
include tools/perf.mk
include tools/hosts.mk
