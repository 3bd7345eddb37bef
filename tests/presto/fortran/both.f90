! SPDX-License-Identifier: BSD-3-Clause
! Two MPIs in one program: this half is Presto's, both_theirs.f90 another one's.
program both
  implicit none
  include 'mpif.h'
  integer :: ierr, n, size, checks
  character(len=MPI_MAX_LIBRARY_VERSION_STRING) :: ours
  character(len=4096) :: theirs
  integer :: values(3)
  call MPI_Init(ierr)
  call begin_theirs(theirs)
  call MPI_Get_library_version(ours, n, ierr)
  checks = 0
  if (index(ours, 'Presto') > 0) checks = checks + 1
  if (index(theirs, 'Presto') == 0 .and. theirs /= ' ') checks = checks + 1
  values = 1
  call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
  if (all(values == size)) checks = checks + 1
  call sum_of_theirs(values, size)
  if (all(values == size)) checks = checks + 1
  call end_theirs
  call MPI_Finalize(ierr)
  if (checks /= 4) stop 1
  print '(a,i0)', 'MT-OK both checks=', checks
end program
