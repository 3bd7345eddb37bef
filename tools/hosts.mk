# SPDX-License-Identifier: BSD-3-Clause
# apelink-hosts, several hosts on one machine. tools/hosts is the same program under the name that is used in the tree.

bin_PROGRAMS += tools/apelink-hosts

tools_apelink_hosts_SOURCES = \
    tools/hosts.c \
    tools/hosts.h \
    tools/hosts_client.c \
    tools/hosts_fork.c \
    tools/hosts_host.c \
    tools/hosts_jobs.c \
    tools/hosts_link.c \
    tools/hosts_message.c \
    tools/hosts_port.c \
    tools/hosts_relay.c \
    tools/hosts_state.c \
    tools/hosts_switch.c
tools_apelink_hosts_CPPFLAGS = $(AM_CPPFLAGS) $(NI_CORE_CPPFLAGS)
tools_apelink_hosts_LDADD = -lm

# Without sanitizers: ThreadSanitizer has a thread of its own, and a process that has one cannot make a PID namespace.
tools_apelink_hosts_CFLAGS = $(LANG_CFLAGS) $(WARN_CFLAGS)
tools_apelink_hosts_LDFLAGS =

noinst_DATA = tools/hosts
CLEANFILES += tools/hosts

tools/hosts: tools/apelink-hosts$(EXEEXT)
	$(AM_V_GEN)ln -sf apelink-hosts$(EXEEXT) $@

dist_man1_MANS += docs/man/apelink-hosts.1
