# SPDX-License-Identifier: BSD-3-Clause

include presto/tools/cc.mk
