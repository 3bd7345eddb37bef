# SPDX-License-Identifier: BSD-3-Clause
# The Open MPI component mca_pml_match: the core and the glue are inside of it. It is linked from a convenience
# library, which unit tests link as well.

EXTRA_DIST += docs/pml_match.md
CLEANFILES += pml_match/help_text.c

if HAVE_OMPI
noinst_LTLIBRARIES += pml_match/libpml_match.la
ompicomponent_LTLIBRARIES += pml_match/mca_pml_match.la
endif

pml_match_libpml_match_la_SOURCES = \
    pml_match/pml_match.h \
    pml_match/pml_match_buffered.c \
    pml_match/pml_match_component.c \
    pml_match/pml_match_hot.h \
    pml_match/pml_match_matched.c \
    pml_match/pml_match_module.c \
    pml_match/pml_match_params.c \
    pml_match/pml_match_persistent.c \
    pml_match/pml_match_recv.c \
    pml_match/pml_match_request.c \
    pml_match/pml_match_send.c

pml_match_libpml_match_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(NI_CORE_CPPFLAGS) $(OMPI_CPPFLAGS)
pml_match_libpml_match_la_CFLAGS = $(AM_CFLAGS)
if ENABLE_UBSAN
# gcc forgets that a bool is volatile where it checks its value, and moves the load out of the loop of Open MPI's
# WAIT_SYNC_RELEASE.
pml_match_libpml_match_la_CFLAGS += -fno-sanitize=bool
endif
pml_match_libpml_match_la_LIBADD = ompi_match/libompi_match.la ompi_glue/libompi_glue_mtl.la ompi_glue/libompi_glue.la ni/libapeni_core.la

# Open MPI finds the component by its exported name.
pml_match_mca_pml_match_la_SOURCES =
pml_match_mca_pml_match_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -module -avoid-version -no-undefined \
    -export-symbols-regex '^mca_pml_match_component$$'
pml_match_mca_pml_match_la_LIBADD = pml_match/libpml_match.la $(OMPI_LIBS)

# The text of the help file, which the component brings along.
nodist_pml_match_libpml_match_la_SOURCES = pml_match/help_text.c

pml_match/help_text.c: ompi_match/help-match.txt ompi_match/help.sed
	$(AM_V_GEN)$(MKDIR_P) pml_match && { \
	    printf '%s\n' 'extern const char pml_match_help_text[];'; \
	    printf '%s\n' 'const char pml_match_help_text[] = "\n"'; \
	    sed -e 's/@KIND@/pml/g' -e 's/@NAME@/match PML/g' -e 's/@USE@/-mca pml match/g' \
	        $(srcdir)/ompi_match/help-match.txt | sed -f $(srcdir)/ompi_match/help.sed; \
	    printf '%s\n' '    "";'; } >$@.tmp && mv $@.tmp $@
