# SPDX-License-Identifier: BSD-3-Clause
# The compiler wrapper, and what tells other build systems of Presto.

bin_SCRIPTS += presto/tools/prestocc
pkgconfig_DATA += presto/tools/presto.pc
prestocmakedir = $(libdir)/cmake/Presto
prestocmake_DATA = presto/tools/PrestoConfig.cmake presto/tools/PrestoConfigVersion.cmake
dist_man1_MANS += docs/man/prestocc.1

lib_LTLIBRARIES += presto/libpresto_plain.la
presto_libpresto_plain_la_SOURCES = presto/tools/plain.c
presto_libpresto_plain_la_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CORE_CPPFLAGS)
presto_libpresto_plain_la_LDFLAGS = $(AM_LDFLAGS) -static

presto_tools = presto/tools/prestocc presto/tools/presto.pc $(prestocmake_DATA)
CLEANFILES += $(presto_tools)
EXTRA_DIST += docs/porting.md presto/tools/prestocc.in presto/tools/presto.pc.in presto/tools/PrestoConfig.cmake.in \
    presto/tools/PrestoConfigVersion.cmake.in

PRESTO_SED = sed -e 's|@CC[@]|$(CC)|g' -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
    -e 's|@PREFIX[@]|$(prefix)|g' -e 's|@LIB_DIR[@]|$(libdir)|g' -e 's|@BIN_DIR[@]|$(bindir)|g' \
    -e 's|@BASE_INCLUDE_DIR[@]|$(includedir)|g' -e 's|@INCLUDE_DIR[@]|$(prestoincludedir)|g'

presto/tools/prestocc: presto/tools/prestocc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/prestocc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

presto/tools/presto.pc: presto/tools/presto.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && $(PRESTO_SED) $(srcdir)/presto/tools/presto.pc.in >$@.tmp && mv $@.tmp $@

presto/tools/PrestoConfig.cmake: presto/tools/PrestoConfig.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/PrestoConfig.cmake.in >$@.tmp && mv $@.tmp $@

presto/tools/PrestoConfigVersion.cmake: presto/tools/PrestoConfigVersion.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/PrestoConfigVersion.cmake.in >$@.tmp && mv $@.tmp $@
