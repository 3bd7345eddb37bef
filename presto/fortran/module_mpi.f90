! SPDX-License-Identifier: BSD-3-Clause
! Module mpi: mpif.h's constants, and an interface of each function.
module mpi
  implicit none
  include 'constants_mpi.inc'
  external :: MPI_NULL_COPY_FN, MPI_DUP_FN, MPI_NULL_DELETE_FN
  external :: MPI_COMM_NULL_COPY_FN, MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN
  external :: MPI_TYPE_NULL_COPY_FN, MPI_TYPE_DUP_FN, MPI_TYPE_NULL_DELETE_FN
  external :: MPI_WIN_NULL_COPY_FN, MPI_WIN_DUP_FN, MPI_WIN_NULL_DELETE_FN
  external :: MPI_CONVERSION_FN_NULL
  include 'interfaces_mpi.inc'
end module
