#!/bin/sh
# SPDX-License-Identifier: BSD-3-Clause
# tools/legacy with two MPIs and recipes made up here: what comes first, whose turn it is, how ranks wait, what is skipped.
set -u
src=${APELINK_SRCDIR:-$(cd "$(dirname "$0")/../.." && pwd)}
for command in python3 tar gzip; do
    command -v $command >/dev/null 2>&1 || {
        echo "skipped: there is no $command"
        exit 77
    }
done
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
status=0

failed() {
    echo "FAIL: $*"
    status=1
}

mkdir -p "$work/tree/tools" "$work/tree/tests/legacy" "$work/prefix/libexec/presto/bin" "$work/bin" "$work/source"
cp "$src/tools/legacy" "$work/tree/tools"
printf '#!/bin/sh\necho presto\n' >"$work/prefix/libexec/presto/bin/mpicc"
printf '#!/bin/sh\necho other\n' >"$work/bin/mpicc.openmpi"
chmod +x "$work/prefix/libexec/presto/bin/mpicc" "$work/bin/mpicc.openmpi"
for package in base user; do
    mkdir -p "$work/kept/sources/$package"
    tar -C "$work/source" -czf "$work/kept/sources/$package/${package}_1.orig.tar.gz" .
done

# recipe NAME PACKAGE HEAD: says to whom it belongs, and fails where a file of its name and `fails` is.
recipe() {
    printf '# Package: %s\n%s\nname=%s\nseen=%s\n' "$2" "$3" "$1" "$work/seen" >"$work/tree/tests/legacy/$1.sh"
    cat >>"$work/tree/tests/legacy/$1.sh" <<'END'
mpi=$(mpicc)
case $1 in
build)
    echo "$name $mpi build ${APENI_BLOCK_US-}${OMPI_MCA_mpi_yield_when_idle-}" >>"$seen"
    [ ! -e "$seen.fails" ]
    [ ! -e "$seen.hangs" ] || { echo $$ >"$seen.hangs"; sleep 60; }
    [ "$name" = base ] || [ -e ../base/made ]
    touch made
    ;;
test) echo "$name $mpi $2" >>"$seen" ;;
esac
END
}
recipe base base '# Ranks: 2'
recipe a_user user '# After: base'

# legacy ARGUMENT...: its output and its exit status in out and rc, what the recipes have seen in seen.
legacy() {
    rm -f "$work/seen"
    PATH=$work/bin:$PATH python3 "$work/tree/tools/legacy" --prefix "$work/prefix" --work "$work/kept" --jobs 1 "$@" >"$work/out" 2>&1
    rc=$?
}

legacy --repeat 3 --ranks 2 a_user
[ $rc -eq 0 ] || failed "two good recipes: status $rc: $(cat "$work/out")"
printf '%s\n' 'base presto build 0' 'base other build 1' 'base presto 2' 'base other 2' 'base other 2' 'base presto 2' 'base presto 2' 'base other 2' \
    'a_user presto build 0' 'a_user other build 1' 'a_user presto 2' 'a_user other 2' 'a_user other 2' 'a_user presto 2' 'a_user presto 2' \
    'a_user other 2' >"$work/want"
diff "$work/want" "$work/seen" >"$work/difference" || failed "turns are taken otherwise: $(cat "$work/difference")"
grep -Eq '^a_user +yes +- +[0-9.]+ s \([0-9.]+\) +-$' "$work/out" || failed "no row of seconds and ratio: $(cat "$work/out")"

legacy --waiting own --alone --ranks 2 base
printf '%s\n' 'base presto build ' 'base presto 2' | diff - "$work/seen" >"$work/difference" || failed "alone: $(cat "$work/difference")"

# What it needs is there already.
legacy --repeat 1 --ranks 2 a_user
printf '%s\n' 'a_user presto build 0' 'a_user other build 1' 'a_user presto 2' 'a_user other 2' | diff - "$work/seen" >"$work/difference" ||
    failed "what is needed is built again: $(cat "$work/difference")"

# What has been built is tried once more without, all of it in turns, and what has not is skipped.
legacy --built --within 60 --repeat 2 --ranks 2
[ $rc -eq 0 ] || failed "--built: status $rc: $(cat "$work/out")"
printf '%s\n' 'base presto 2' 'base other 2' 'a_user presto 2' 'a_user other 2' 'base other 2' 'base presto 2' 'a_user other 2' 'a_user presto 2' |
    diff - "$work/seen" >"$work/difference" || failed "--built --within: $(cat "$work/difference")"
legacy --built --within 0 --ranks 2 base
[ ! -e "$work/seen" ] || failed "--within 0: something has run"
grep -q '^SKIP: base: no time was left$' "$work/out" || failed "--within 0: not skipped: $(cat "$work/out")"
rm "$work/kept/presto/base.built"
legacy --built --ranks 2 base
grep -q '^SKIP: base: it has not been built in ' "$work/out" || failed "--built: what is not there is not skipped: $(cat "$work/out")"

# What is told to end leaves nothing that runs.
touch "$work/seen.hangs"
PATH=$work/bin:$PATH python3 "$work/tree/tools/legacy" --prefix "$work/prefix" --work "$work/kept" --alone base >"$work/out" 2>&1 &
tool=$!
for _ in $(seq 300); do
    [ ! -s "$work/seen.hangs" ] || break
    sleep 0.1
done
kill $tool
wait $tool
rc=$?
[ $rc -eq 143 ] || failed "told to end: status $rc: $(cat "$work/out")"
case $(ps -o stat= -p "$(cat "$work/seen.hangs")") in
'' | Z*) ;;
*) failed "what it has started goes on" ;;
esac
rm "$work/seen.hangs"

touch "$work/seen.fails"
legacy
[ $rc -eq 1 ] || failed "what cannot be built: status $rc"
grep -q '^SKIP: a_user: it needs base, which has not been built' "$work/out" || failed "not skipped: $(cat "$work/out")"

recipe base base '# After: a_user'
legacy --list
[ $rc -ne 0 ] || failed "a circle of recipes is taken"
grep -q 'leads back to itself' "$work/out" || failed "a circle of recipes: $(cat "$work/out")"
exit $status
