# SPDX-License-Identifier: BSD-3-Clause
# The Open MPI component mca_hook_apelink, which records what programs do with MPI. It uses nothing of the core.

if HAVE_OMPI
noinst_LTLIBRARIES += pml_hooks/libpml_hooks.la
ompicomponent_LTLIBRARIES += pml_hooks/mca_hook_apelink.la
endif

pml_hooks_libpml_hooks_la_SOURCES = \
    ompi_glue/abort.h \
    ompi_glue/arrivals.h \
    ompi_glue/code_of.c \
    ompi_glue/code_of.h \
    ompi_glue/get_bound.c \
    ompi_glue/get_bound.h \
    ompi_glue/ompi_glue.h \
    ompi_glue/osc.h \
    ompi_glue/pml.h \
    pml_hooks/pml_hooks.h \
    pml_hooks/pml_hooks_abandon.c \
    pml_hooks/pml_hooks_arrivals.c \
    pml_hooks/pml_hooks_ask.c \
    pml_hooks/pml_hooks_ask.h \
    pml_hooks/pml_hooks_btl.c \
    pml_hooks/pml_hooks_class.c \
    pml_hooks/pml_hooks_component.c \
    pml_hooks/pml_hooks_count.h \
    pml_hooks/pml_hooks_dead.c \
    pml_hooks/pml_hooks_device.c \
    pml_hooks/pml_hooks_end.c \
    pml_hooks/pml_hooks_follow.c \
    pml_hooks/pml_hooks_follow.h \
    pml_hooks/pml_hooks_gather.c \
    pml_hooks/pml_hooks_help.c \
    pml_hooks/pml_hooks_hold.c \
    pml_hooks/pml_hooks_hosts.c \
    pml_hooks/pml_hooks_inject.c \
    pml_hooks/pml_hooks_inject.h \
    pml_hooks/pml_hooks_news.c \
    pml_hooks/pml_hooks_number.c \
    pml_hooks/pml_hooks_params.c \
    pml_hooks/pml_hooks_pass.c \
    pml_hooks/pml_hooks_peers.c \
    pml_hooks/pml_hooks_persistent.c \
    pml_hooks/pml_hooks_progress.c \
    pml_hooks/pml_hooks_pvars.c \
    pml_hooks/pml_hooks_queues.c \
    pml_hooks/pml_hooks_receives.c \
    pml_hooks/pml_hooks_requests.c \
    pml_hooks/pml_hooks_rules.c \
    pml_hooks/pml_hooks_rules.h \
    pml_hooks/pml_hooks_stage.c \
    pml_hooks/pml_hooks_stage.h \
    pml_hooks/pml_hooks_survive.c \
    pml_hooks/pml_hooks_survive.h \
    pml_hooks/pml_hooks_switch.c \
    pml_hooks/pml_hooks_under.c \
    pml_hooks/pml_hooks_window.c \
    pml_hooks/pml_hooks_window.h \
    pml_hooks/pml_hooks_windows.c
pml_hooks_libpml_hooks_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(OMPI_CPPFLAGS) \
    -DPML_HOOKS_REPORT='"$(bindir)/apelink-report"'
pml_hooks_libpml_hooks_la_LIBADD = record/librecord.la
pml_hooks_libpml_hooks_la_CFLAGS = $(AM_CFLAGS) -fno-tree-slp-vectorize

# The text of the help file, which the component brings along.
nodist_pml_hooks_libpml_hooks_la_SOURCES = pml_hooks/help_text.c
EXTRA_DIST += pml_hooks/help-hook-apelink.txt
CLEANFILES += pml_hooks/help_text.c

pml_hooks/help_text.c: pml_hooks/help-hook-apelink.txt
	$(AM_V_GEN)$(MKDIR_P) pml_hooks && { \
	    printf '%s\n' 'extern const char pml_hooks_help_text[];'; \
	    printf '%s\n' 'const char pml_hooks_help_text[] = "\n"'; \
	    sed -f $(srcdir)/ompi_match/help.sed $(srcdir)/pml_hooks/help-hook-apelink.txt; \
	    printf '%s\n' '    "";'; } >$@.tmp && mv $@.tmp $@

# Open MPI finds the component by its exported name.
pml_hooks_mca_hook_apelink_la_SOURCES =
pml_hooks_mca_hook_apelink_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -module -avoid-version -no-undefined \
    -export-symbols-regex '^mca_hook_apelink_component$$'
pml_hooks_mca_hook_apelink_la_LIBADD = pml_hooks/libpml_hooks.la $(OMPI_LIBS)

# The report.
hooksreportdir = $(pkglibexecdir)/hooks
dist_hooksreport_SCRIPTS = pml_hooks/report
hooksreportlibdir = $(hooksreportdir)/reportlib
dist_hooksreportlib_DATA = \
    pml_hooks/reportlib/__init__.py \
    pml_hooks/reportlib/clocks.py \
    pml_hooks/reportlib/collectives.py \
    pml_hooks/reportlib/costs.py \
    pml_hooks/reportlib/csvfile.py \
    pml_hooks/reportlib/diff.py \
    pml_hooks/reportlib/facts.py \
    pml_hooks/reportlib/faults.py \
    pml_hooks/reportlib/hosts.py \
    pml_hooks/reportlib/jsonfile.py \
    pml_hooks/reportlib/live.py \
    pml_hooks/reportlib/page.py \
    pml_hooks/reportlib/pagedata.py \
    pml_hooks/reportlib/progress.py \
    pml_hooks/reportlib/records.py \
    pml_hooks/reportlib/schema.py \
    pml_hooks/reportlib/text.py \
    pml_hooks/reportlib/units.py \
    pml_hooks/reportlib/waits.py \
    pml_hooks/reportlib/windows.py
hooksreportpagedir = $(hooksreportlibdir)/page
dist_hooksreportpage_DATA = \
    pml_hooks/reportlib/page/base.js \
    pml_hooks/reportlib/page/charts.js \
    pml_hooks/reportlib/page/draw.js \
    pml_hooks/reportlib/page/main.js \
    pml_hooks/reportlib/page/matrix.js \
    pml_hooks/reportlib/page/page.html \
    pml_hooks/reportlib/page/style.css \
    pml_hooks/reportlib/page/table.js
bin_SCRIPTS += pml_hooks/apelink-report
CLEANFILES += pml_hooks/apelink-report
EXTRA_DIST += pml_hooks/apelink-report.in
dist_man1_MANS += docs/man/apelink-report.1

pml_hooks/apelink-report: pml_hooks/apelink-report.in Makefile
	$(AM_V_GEN)$(MKDIR_P) pml_hooks && \
	    sed -e 's|@HOOKS_DIR[@]|$(hooksreportdir)|g' -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
	        $(srcdir)/pml_hooks/apelink-report.in >$@.tmp && \
	    chmod +x $@.tmp && mv $@.tmp $@
