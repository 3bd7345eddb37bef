! SPDX-License-Identifier: BSD-3-Clause
! Calls a function that Presto does not have.
program missing
  include 'mpif.h'
  integer :: session, ierr
  call MPI_Session_init(MPI_INFO_NULL, MPI_ERRORS_RETURN, session, ierr)
end program
