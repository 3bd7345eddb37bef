#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# apelink-env prints what a shell can read, keeps what was set before, and says what is wrong.
. "$(dirname "$0")/files.sh"

work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
unset OMPI_MCA_mca_base_component_path OMPI_MCA_mca_component_path
HOME=$work
export HOME

components="$work/it's a place/lib/openmpi"
sed "s|'@OMPI_COMPONENT_DIR@'|\"$components\"|" tools/apelink-env.in >"$work/apelink-env"

# expect VALUE WHAT: what a shell ends up with after reading the output.
expect() {
    got=$(eval "$(sh "$work/apelink-env")" && printf '%s' "$OMPI_MCA_mca_base_component_path")
    [ "$got" = "$1" ] || fail "$2: got '$got', wanted '$1'"
    count=$((count + 1))
}
count=0

sh "$work/apelink-env" >"$work/out" 2>"$work/err" && fail "no complaint about components that are not there"
[ -s "$work/out" ] && fail "printed commands although the components are not there"
grep -q "make install" "$work/err" || fail "the complaint names no remedy: $(cat "$work/err")"

mkdir -p "$components"
: >"$components/mca_btl_apelink.so"
expect "$components:SYSTEM_DEFAULT:USER_DEFAULT" "nothing set before"

OMPI_MCA_mca_component_path=/a:/b
export OMPI_MCA_mca_component_path
expect "$components:/a:/b" "set by its old name"

OMPI_MCA_mca_base_component_path=/c:/d
export OMPI_MCA_mca_base_component_path
expect "$components:/c:/d" "set before"

OMPI_MCA_mca_base_component_path=$components:/c
expect "$components:/c" "run twice"
unset OMPI_MCA_mca_base_component_path OMPI_MCA_mca_component_path

mkdir -p "$work/.openmpi"
echo "mca_base_component_path = /e:/f" >"$work/.openmpi/mca-params.conf"
expect "$components:/e:/f" "set in the user's file"

sh "$work/apelink-env" --nonsense >"$work/out" 2>"$work/err" && fail "an unknown argument was taken"
grep -q -e --nonsense "$work/err" || fail "the complaint does not name the argument"
for word in -V --version; do
    sh "$work/apelink-env" $word | grep -q '^apelink-env [^ ]*$' || fail "$word: $(sh "$work/apelink-env" $word 2>&1)"
done
sh "$work/apelink-env" --help | grep -q '^Usage' || fail "--help has no usage line"
finish $count "settings"
