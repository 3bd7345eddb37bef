# SPDX-License-Identifier: BSD-3-Clause
# Checks of the source tree itself.

tree_tests = \
    tests/tree/braces.sh \
    tests/tree/calls.sh \
    tests/tree/covers.sh \
    tests/tree/declared.sh \
    tests/tree/docs.sh \
    tests/tree/env.sh \
    tests/tree/format.sh \
    tests/tree/headers.sh \
    tests/tree/includes.sh \
    tests/tree/members.sh \
    tests/tree/packets.sh \
    tests/tree/scripts.sh \
    tests/tree/statics.sh \
    tests/tree/symbols.sh \
    tests/tree/text.sh \
    tests/tree/walks.sh \
    tests/tree/words.sh

TESTS += $(tree_tests)
EXTRA_DIST += $(tree_tests) tests/tree/files.sh tests/tree/calls.awk tests/tree/calls.except tests/tree/code.awk \
    tests/tree/covers.awk tests/tree/covers.except tests/tree/declared.awk tests/tree/includes.awk tests/tree/includes.except tests/tree/layers.awk \
    tests/tree/statics.awk tests/tree/statics.except tests/tree/words.awk tests/tree/words.except
