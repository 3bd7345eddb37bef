# SPDX-License-Identifier: BSD-3-Clause
# The Open MPI component mca_mtl_match: the core and the glue are inside of it. It is linked from a convenience
# library, which unit tests link as well.

EXTRA_DIST += docs/mtl_match.md
CLEANFILES += mtl_match/help_text.c

if HAVE_OMPI
noinst_LTLIBRARIES += mtl_match/libmtl_match.la
ompicomponent_LTLIBRARIES += mtl_match/mca_mtl_match.la
endif

mtl_match_libmtl_match_la_SOURCES = \
    mtl_match/mtl_match.h \
    mtl_match/mtl_match_component.c \
    mtl_match/mtl_match_end.c \
    mtl_match/mtl_match_module.c \
    mtl_match/mtl_match_params.c \
    mtl_match/mtl_match_recv.c \
    mtl_match/mtl_match_send.c

mtl_match_libmtl_match_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(NI_CORE_CPPFLAGS) $(OMPI_CPPFLAGS)
mtl_match_libmtl_match_la_CFLAGS = $(AM_CFLAGS)
mtl_match_libmtl_match_la_LIBADD = ompi_match/libompi_match.la ompi_glue/libompi_glue_mtl.la ompi_glue/libompi_glue.la ni/libapeni_core.la

# Open MPI finds the component by its exported name.
mtl_match_mca_mtl_match_la_SOURCES =
mtl_match_mca_mtl_match_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -module -avoid-version -no-undefined \
    -export-symbols-regex '^mca_mtl_match_component$$'
mtl_match_mca_mtl_match_la_LIBADD = mtl_match/libmtl_match.la $(OMPI_LIBS)

# The text of the help file, which the component brings along.
nodist_mtl_match_libmtl_match_la_SOURCES = mtl_match/help_text.c

mtl_match/help_text.c: ompi_match/help-match.txt ompi_match/help.sed
	$(AM_V_GEN)$(MKDIR_P) mtl_match && { \
	    printf '%s\n' 'extern const char ompi_mtl_match_help_text[];'; \
	    printf '%s\n' 'const char ompi_mtl_match_help_text[] = "\n"'; \
	    sed -e 's/@KIND@/mtl/g' -e 's/@NAME@/match MTL/g' -e 's/@USE@/-mca pml cm -mca mtl match/g' \
	        $(srcdir)/ompi_match/help-match.txt | sed -f $(srcdir)/ompi_match/help.sed; \
	    printf '%s\n' '    "";'; } >$@.tmp && mv $@.tmp $@
