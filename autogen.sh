#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# Generates configure and the Makefile.in from configure.ac and Makefile.am (needed in a git checkout only).
set -eu
cd "$(dirname "$0")"

missing=
for tool in autoconf automake libtoolize pkg-config; do
    command -v "$tool" >/dev/null 2>&1 || missing="$missing $tool"
done
if [ -n "$missing" ]; then
    echo "autogen.sh: not found:$missing" >&2
    echo "autogen.sh: on Debian: apt-get install autoconf automake libtool pkg-config" >&2
    exit 1
fi

mkdir -p build-aux config/m4
autoreconf --install --force --warnings=all
cp "$(automake --print-libdir)/depcomp" build-aux/
echo "autogen.sh: done. Next: ./configure --prefix=P && make && make check && make install"
