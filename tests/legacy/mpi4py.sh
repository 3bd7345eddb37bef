# SPDX-License-Identifier: BSD-3-Clause
# shellcheck shell=sh
# Package: mpi4py
# Needs: cython3 python3-config
# MPI from Python: its own tests of nearly every function, but those of processes that come later.
python=/usr/bin/python3 # for which the distribution has Cython

# It looks for each of MPI's functions, and does without those that are missing.
build() {
    CFLAGS='-O1 -g0' $python setup.py build --configure --mpicc="$(command -v mpicc)"
}

# What was built, and not what the distribution has of it, which its tests take where they do not find the folder.
run_tests() {
    built=$(echo "$PWD"/build/lib.*)
    PYTHONPATH=$built
    export PYTHONPATH
    [ "$($python -c 'import mpi4py; print(mpi4py.__path__[0])')" = "$built/mpi4py" ]
    mpirun -n "$1" $python test/runtests.py --quiet --no-builddir --exclude spawn --exclude dynproc
}

case $1 in
build) build ;;
test) run_tests "$2" ;;
esac
