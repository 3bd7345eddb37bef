! SPDX-License-Identifier: BSD-3-Clause
program rank
  use mpi
  implicit none
  integer :: me, ranks, length, error
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: version
  call MPI_Init(error)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, error)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, error)
  call MPI_Get_library_version(version, length, error)
  if (me == 0 .and. version(1:6) == 'Presto') print '(i0,a)', ranks, ' ranks, Presto'
  call MPI_Finalize(error)
end program rank
