# SPDX-License-Identifier: BSD-3-Clause
"""What programs that are not ours read: problems that two processes are done with in seconds."""

# "{ranks}" processes in one row. RandomAccess and FFT take their sizes from N.
HPCC_INPUT = """HPLinpack input file
small
HPL.out   output file name
8         device out
1         problem sizes
1000      Ns
1         NBs
64        NBs
0         PMAP
1         grids
1         Ps
{ranks}   Qs
16.0      threshold
1         PFACTs
2         PFACTs
1         NBMINs
4         NBMINs
1         NDIVs
2         NDIVs
1         RFACTs
1         RFACTs
1         BCASTs
1         BCASTs
1         DEPTHs
1         DEPTHs
2         SWAP
64        swapping threshold
0         L1
0         U
1         equilibration
8         alignment
separator
0         further sizes for PTRANS
1200      values
0         further block sizes for PTRANS
40        values
"""

# A Lennard-Jones fluid of 2048 atoms: neighbours' messages of a few KiB, often.
LAMMPS_INPUT = """units lj
atom_style atomic
lattice fcc 0.8442
region box block 0 8 0 8 0 8
create_box 1 box
create_atoms 1 box
mass 1 1.0
velocity all create 3.0 87287 loop geom
pair_style lj/cut 2.5
pair_coeff 1 1 1.0 1.0 2.5
neighbor 0.3 bin
neigh_modify every 1 delay 0 check yes
fix 1 all nve
thermo 500
run 500
"""
