#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# faults.sh over the components of the build: btl apelink, or with the argument "match" mtl match.
here=$(cd "$(dirname "$0")" && pwd)
. "$here/components.sh"
case ${1-} in
match) exec sh "$here/faults.sh" --mca pml cm --mca mtl match ;;
*) exec sh "$here/faults.sh" --mca pml ob1 --mca btl apelink,self ;;
esac
