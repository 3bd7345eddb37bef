# SPDX-License-Identifier: BSD-3-Clause
"""Modules of the comparison runner osu_bench/compare: data first (tables), then what is done with it."""
