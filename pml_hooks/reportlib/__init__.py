# SPDX-License-Identifier: BSD-3-Clause
"""Reads the records of pml_hooks and says what is in them."""
