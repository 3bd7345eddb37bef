# SPDX-License-Identifier: BSD-3-Clause
# The Open MPI component mca_btl_apelink: the core and the glue are inside of it. It is linked from a convenience
# library, which unit tests link as well.

EXTRA_DIST += btl_apelink/help-mpi-btl-apelink.txt docs/btl_apelink.md
CLEANFILES += btl_apelink/help_text.c

if HAVE_OMPI
noinst_LTLIBRARIES += btl_apelink/libbtl_apelink.la
ompicomponent_LTLIBRARIES += btl_apelink/mca_btl_apelink.la
endif

btl_apelink_libbtl_apelink_la_SOURCES = \
    btl_apelink/btl_apelink.h \
    btl_apelink/btl_apelink_atomic.c \
    btl_apelink/btl_apelink_component.c \
    btl_apelink/btl_apelink_copy_inl.h \
    btl_apelink/btl_apelink_dump.c \
    btl_apelink/btl_apelink_frag.c \
    btl_apelink/btl_apelink_memory.c \
    btl_apelink/btl_apelink_module.c \
    btl_apelink/btl_apelink_nomem.c \
    btl_apelink/btl_apelink_op.c \
    btl_apelink/btl_apelink_op.h \
    btl_apelink/btl_apelink_params.c \
    btl_apelink/btl_apelink_parts.c \
    btl_apelink/btl_apelink_parts.h \
    btl_apelink/btl_apelink_procs.c \
    btl_apelink/btl_apelink_rdma.c \
    btl_apelink/btl_apelink_recv.c \
    btl_apelink/btl_apelink_send.c \
    btl_apelink/btl_apelink_sendi.c

btl_apelink_libbtl_apelink_la_CPPFLAGS = $(AM_CPPFLAGS) -I$(top_srcdir) $(NI_CORE_CPPFLAGS) $(OMPI_CPPFLAGS)
btl_apelink_libbtl_apelink_la_CFLAGS = $(AM_CFLAGS)
btl_apelink_libbtl_apelink_la_LIBADD = ompi_glue/libompi_glue.la ni/libapeni_core.la

# Open MPI finds the component by its exported name.
btl_apelink_mca_btl_apelink_la_SOURCES =
btl_apelink_mca_btl_apelink_la_LDFLAGS = $(AM_LDFLAGS) $(COMPONENT_LDFLAGS) -module -avoid-version -no-undefined \
    -export-symbols-regex '^mca_btl_apelink_component$$'
btl_apelink_mca_btl_apelink_la_LIBADD = btl_apelink/libbtl_apelink.la $(OMPI_LIBS)

# The text of the help file, which the component brings along.
nodist_btl_apelink_libbtl_apelink_la_SOURCES = btl_apelink/help_text.c

btl_apelink/help_text.c: btl_apelink/help-mpi-btl-apelink.txt
	$(AM_V_GEN)$(MKDIR_P) btl_apelink && { \
	    printf '%s\n' 'extern const char mca_btl_apelink_help_text[];'; \
	    printf '%s\n' 'const char mca_btl_apelink_help_text[] = "\n"'; \
	    sed -e '/^#/d' -e 's/\\/\\\\/g' -e 's/"/\\"/g' -e 's/^/    "/' -e 's/$$/\\n"/' \
	        $(srcdir)/btl_apelink/help-mpi-btl-apelink.txt; \
	    printf '%s\n' '    "";'; } >$@.tmp && mv $@.tmp $@
