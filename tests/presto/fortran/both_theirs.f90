! SPDX-License-Identifier: BSD-3-Clause
! The half of both.f90 that another MPI's wrapper compiles.
subroutine begin_theirs(version)
  implicit none
  include 'mpif.h'
  character(len=*), intent(out) :: version
  integer :: ierr, n
  version = ' '
  call MPI_Init(ierr)
  call MPI_Get_library_version(version, n, ierr)
end subroutine

subroutine sum_of_theirs(values, size)
  implicit none
  include 'mpif.h'
  integer, intent(out) :: values(3), size
  integer :: ierr
  values = 1
  call MPI_Allreduce(MPI_IN_PLACE, values, 3, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, size, ierr)
end subroutine

subroutine end_theirs
  integer :: ierr
  call MPI_Finalize(ierr)
end subroutine
