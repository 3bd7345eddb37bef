! SPDX-License-Identifier: BSD-3-Clause
! A program half in C (mixed_half.c), half in Fortran: handles go both ways. For any number of ranks.
module own_operation
contains
  subroutine farther(in, inout, n, datatype)
    integer :: n, datatype, in(n), inout(n)
    include 'mpif.h'
    if (datatype /= MPI_INTEGER .and. datatype /= MPI_INT) call MPI_Abort(MPI_COMM_WORLD, 1, i)
    where (abs(in) > abs(inout)) inout = in
  end subroutine
end module

program mixed
  use own_operation
  implicit none
  include 'mpif.h'
  integer, external :: half_takes, half_gives, half_ends, half_ignores, half_counts
  integer :: ierr, me, ranks, comm, theirs, pair, triple, op, status(MPI_STATUS_SIZE), keyval, wrong, request, got, values(2)
  integer(kind=MPI_ADDRESS_KIND) :: number
  logical :: flag
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Type_contiguous(2, MPI_INTEGER, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  call MPI_Op_create(farther, .true., op, ierr)
  call MPI_Sendrecv([me, me], 1, pair, mod(me + 1, ranks), 5, values, 1, pair, mod(me + ranks - 1, ranks), 5, comm, status, ierr)
  number = 0
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, number, ierr)
  number = -12345678901_8
  call PMPI_Comm_set_attr(comm, keyval, number, ierr)
  if (half_counts() /= 0) call stop_at('the profiling interface', half_counts())
  call MPI_Comm_set_attr(comm, keyval, number, ierr)
  if (half_counts() /= 1) call stop_at('a function of the application', half_counts())
  wrong = half_takes(comm, pair, op, status, keyval)
  if (wrong /= 0) call stop_at('half_takes', wrong)
  ! C's attribute is an address here.
  call MPI_Comm_get_attr(comm, keyval, number, flag, ierr)
  if (.not. flag .or. number == 77 .or. number == 0) call stop_at('attribute of C', 1)
  wrong = half_ignores(MPI_STATUS_IGNORE, MPI_STATUSES_IGNORE, status)
  if (wrong /= 0) call stop_at('half_ignores', wrong)
  wrong = half_gives(theirs, triple, request, got, keyval)
  if (wrong /= 0) call stop_at('half_gives', wrong)
  call MPI_Send(me + 40, 1, MPI_INT, 0, 3, theirs, ierr)
  call MPI_Wait(request, status, ierr)
  if (got /= me + 40 .or. request /= MPI_REQUEST_NULL) call stop_at('request of C', 1)
  call MPI_Type_size(triple, wrong, ierr)
  if (wrong /= 24) call stop_at('type of C', 1)
  wrong = half_ends(theirs, triple)
  if (wrong /= 0) call stop_at('half_ends', wrong)
  call MPI_Op_free(op, ierr)
  call MPI_Type_free(pair, ierr)
  call MPI_Comm_free(comm, ierr)
  call MPI_Finalize(ierr)
  if (me == 0) print '(a)', 'MT-OK mixed checks=12'
contains
  subroutine stop_at(what, line)
    character(len=*), intent(in) :: what
    integer, intent(in) :: line
    write (0, *) 'mixed: ', what, ' is wrong at line ', line
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end subroutine
end program
