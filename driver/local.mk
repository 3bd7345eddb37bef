# SPDX-License-Identifier: BSD-3-Clause
# What programs and drivers of the card agree on.

noinst_HEADERS += \
    driver/apelink_abi.h \
    driver/apelink_ioctl.h
