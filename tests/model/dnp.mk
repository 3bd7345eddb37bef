# SPDX-License-Identifier: BSD-3-Clause
# Models of dnp and hfm.

model_tests += \
    tests/model/model_dnp_link \
    tests/model/model_dnp_lofamo \
    tests/model/model_dnp_lofamo_history \
    tests/model/model_dnp_lofamo_reach \
    tests/model/model_dnp_rdma \
    tests/model/model_dnp_torus \
    tests/model/model_hfm_cluster \
    tests/model/model_hfm_report

tests_model_model_dnp_link_SOURCES = tests/model/model_dnp_link.c
tests_model_model_dnp_link_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_link_LDADD = dnp/libdnp.la

tests_model_model_dnp_lofamo_SOURCES = \
    tests/model/lofamo_node.c \
    tests/model/lofamo_node.h \
    tests/model/model_dnp_lofamo.c
tests_model_model_dnp_lofamo_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_lofamo_LDADD = dnp/libdnp.la

tests_model_model_dnp_lofamo_history_SOURCES = \
    tests/model/lofamo_cluster.c \
    tests/model/lofamo_cluster.h \
    tests/model/model_dnp_lofamo_history.c
tests_model_model_dnp_lofamo_history_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_lofamo_history_LDADD = hfm/libhfm.la

tests_model_model_dnp_lofamo_reach_SOURCES = \
    tests/model/lofamo_cluster.c \
    tests/model/lofamo_cluster.h \
    tests/model/model_dnp_lofamo_reach.c
tests_model_model_dnp_lofamo_reach_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_lofamo_reach_LDADD = hfm/libhfm.la

tests_model_model_dnp_torus_SOURCES = tests/model/model_dnp_torus.c
tests_model_model_dnp_torus_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_torus_LDADD = dnp/libdnp.la

tests_model_model_dnp_rdma_SOURCES = tests/model/model_dnp_rdma.c
tests_model_model_dnp_rdma_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_dnp_rdma_LDADD = dnp/libdnp.la

tests_model_model_hfm_cluster_SOURCES = \
    tests/model/master_history.c \
    tests/model/master_history.h \
    tests/model/model_hfm_cluster.c
tests_model_model_hfm_cluster_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_hfm_cluster_LDADD = hfm/libhfm.la

tests_model_model_hfm_report_SOURCES = tests/model/model_hfm_report.c
tests_model_model_hfm_report_CPPFLAGS = $(MODEL_CPPFLAGS) -I$(top_srcdir)
tests_model_model_hfm_report_LDADD = hfm/libhfm.la
