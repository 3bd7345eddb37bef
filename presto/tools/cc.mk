# SPDX-License-Identifier: BSD-3-Clause
# The compiler wrapper, and what tells other build systems of Presto.

bin_SCRIPTS += presto/tools/prestocc presto/tools/presto-env
prestowrappersdir = $(libexecdir)/presto/bin
prestomoduledir = $(datadir)/modulefiles/presto
nodist_prestomodule_DATA = presto/tools/$(PACKAGE_VERSION)
pkgconfig_DATA += presto/tools/presto.pc
prestocmakedir = $(libdir)/cmake/Presto
prestocmake_DATA = presto/tools/PrestoConfig.cmake presto/tools/PrestoConfigVersion.cmake
dist_man1_MANS += docs/man/presto-env.1 docs/man/prestocc.1 docs/man/prestocxx.1 docs/man/prestofc.1

lib_LTLIBRARIES += presto/libpresto_plain.la
presto_libpresto_plain_la_SOURCES = presto/tools/plain.c
presto_libpresto_plain_la_CPPFLAGS = $(AM_CPPFLAGS) $(PRESTO_CORE_CPPFLAGS)
presto_libpresto_plain_la_LDFLAGS = $(AM_LDFLAGS) -static

presto_tools = presto/tools/prestocc presto/tools/presto-env presto/tools/presto.pc $(prestocmake_DATA) $(nodist_prestomodule_DATA)
CLEANFILES += $(presto_tools)
EXTRA_DIST += docs/porting.md presto/tools/modulefile.in presto/tools/presto-env.in presto/tools/prestocc.in presto/tools/presto.pc.in presto/tools/PrestoConfig.cmake.in \
    presto/tools/PrestoConfigVersion.cmake.in

if HAVE_FORTRAN
presto_fc = $(FC)
endif
PRESTO_SED = sed -e 's|@CC[@]|$(CC)|g' -e 's|@CXX[@]|$(CXX)|g' -e 's|@FC[@]|$(presto_fc)|g' -e 's|@MAN_DIR[@]|$(mandir)|g' \
    -e 's|@WRAPPERS_DIR[@]|$(prestowrappersdir)|g' -e 's|@MODULE_FILE[@]|$(prestomoduledir)/$(PACKAGE_VERSION)|g' -e 's|@VERSION[@]|$(PACKAGE_VERSION)|g' \
    -e 's|@PREFIX[@]|$(prefix)|g' -e 's|@LIB_DIR[@]|$(libdir)|g' -e 's|@BIN_DIR[@]|$(bindir)|g' \
    -e 's|@BASE_INCLUDE_DIR[@]|$(includedir)|g' -e 's|@INCLUDE_DIR[@]|$(prestoincludedir)|g'

presto/tools/prestocc: presto/tools/prestocc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/prestocc.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

presto/tools/presto-env: presto/tools/presto-env.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/presto-env.in >$@.tmp && chmod +x $@.tmp && mv $@.tmp $@

presto/tools/$(PACKAGE_VERSION): presto/tools/modulefile.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && $(PRESTO_SED) $(srcdir)/presto/tools/modulefile.in >$@.tmp && mv $@.tmp $@

# What scripts call by the names of any MPI, in a folder that presto-env puts first.
presto_compilers = mpicc mpicxx mpic++ mpiCC mpifort mpif77 mpif90
presto_launchers = mpirun mpiexec
install-exec-hook:
	cd "$(DESTDIR)$(bindir)" && ln -sf prestocc prestocxx && ln -sf prestocc prestofc
	$(MKDIR_P) "$(DESTDIR)$(prestowrappersdir)"
	for name in $(presto_compilers); do ln -sf "$(bindir)/prestocc" "$(DESTDIR)$(prestowrappersdir)/$$name" || exit 1; done
	for name in $(presto_launchers); do ln -sf "$(bindir)/prestorun" "$(DESTDIR)$(prestowrappersdir)/$$name" || exit 1; done

uninstall-local:
	rm -f "$(DESTDIR)$(bindir)/prestocxx" "$(DESTDIR)$(bindir)/prestofc"
	for name in $(presto_compilers) $(presto_launchers); do rm -f "$(DESTDIR)$(prestowrappersdir)/$$name"; done

presto/tools/presto.pc: presto/tools/presto.pc.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && $(PRESTO_SED) $(srcdir)/presto/tools/presto.pc.in >$@.tmp && mv $@.tmp $@

presto/tools/PrestoConfig.cmake: presto/tools/PrestoConfig.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/PrestoConfig.cmake.in >$@.tmp && mv $@.tmp $@

presto/tools/PrestoConfigVersion.cmake: presto/tools/PrestoConfigVersion.cmake.in Makefile
	$(AM_V_GEN)$(MKDIR_P) presto/tools && \
	    $(PRESTO_SED) $(srcdir)/presto/tools/PrestoConfigVersion.cmake.in >$@.tmp && mv $@.tmp $@
