! SPDX-License-Identifier: BSD-3-Clause
! Module mpi_f08: handles and statuses of types of their own, ierror left out, functions of the application with interfaces.
module given
  use mpi_f08
  use, intrinsic :: iso_c_binding
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0
contains
  subroutine add_up(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 1)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = inout + in
  end subroutine
  subroutine copy_attr(oldcomm, comm_keyval, extra_state, attribute_val_in, attribute_val_out, flag, ierror)
    type(MPI_Comm) :: oldcomm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra_state, attribute_val_in, attribute_val_out
    logical :: flag
    copies = copies + 1
    attribute_val_out = attribute_val_in + extra_state
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_attr(comm, comm_keyval, attribute_val, extra_state, ierror)
    type(MPI_Comm) :: comm
    integer :: comm_keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: attribute_val, extra_state
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine on_error(comm, error_code)
    type(MPI_Comm) :: comm
    integer :: error_code
    if (error_code == MPI_ERR_RANK) errors = errors + 1
  end subroutine
end module

program new
  use given
  implicit none
  integer :: me, ranks, left, right, n, keyval, checks, code, old(MPI_STATUS_SIZE), i, room
  integer :: sum(3), got(4)
  real(kind=8) :: grid(6, 6), other(6, 6), line(6)
  type(MPI_Comm) :: comm, copy
  type(MPI_Op) :: op
  type(MPI_Status) :: status, statuses(4), again
  type(MPI_Request) :: requests(4), request
  type(MPI_Datatype) :: column
  type(MPI_Errhandler) :: handler
  type(MPI_Info) :: info
  type(MPI_Win) :: win
  type(c_ptr) :: base
  integer, pointer :: shared(:)
  integer(kind=MPI_ADDRESS_KIND) :: number, extra
  logical :: flag
  character(len=MPI_MAX_OBJECT_NAME) :: name
  character(len=20) :: value
  checks = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror=code)
  call expect(code == MPI_SUCCESS, 1)
  left = mod(me + ranks - 1, ranks)
  right = mod(me + 1, ranks)
  call MPI_Comm_dup(MPI_COMM_WORLD, comm)
  call expect(comm /= MPI_COMM_NULL .and. comm /= MPI_COMM_WORLD .and. comm == comm, 2)
  call MPI_Comm_set_name(comm, 'new  ')
  call MPI_Comm_get_name(comm, name, n)
  call expect(name == 'new' .and. n == 3, 3)
  do i = 1, 4
    call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, comm, requests(i))
  end do
  do i = 1, 4
    call MPI_Send(10 * me + i, 1, MPI_INTEGER, right, i, comm)
  end do
  call MPI_Waitall(4, requests, statuses)
  call expect(all(got == [(10 * left + i, i=1, 4)]) .and. all(requests == MPI_REQUEST_NULL), 4)
  call expect(all(statuses%MPI_SOURCE == left) .and. statuses(3)%MPI_TAG == 3, 5)
  call MPI_Get_count(statuses(1), MPI_INTEGER, n)
  call expect(n == 1, 6)
  call MPI_Status_f082f(statuses(2), old)
  call MPI_Status_f2f08(old, again)
  call expect(old(MPI_TAG) == 2 .and. again%MPI_SOURCE == left, 7)
  ! Parts of arrays.
  grid = 0
  other = -1
  grid(3, :) = me
  call MPI_Sendrecv(grid(3, :), 6, MPI_DOUBLE_PRECISION, right, 5, other(2, :), 6, MPI_DOUBLE_PRECISION, left, 5, comm, &
                    MPI_STATUS_IGNORE)
  call expect(all(other(2, :) == left) .and. all(other(3, :) == -1), 8)
  call MPI_Type_vector(6, 1, 6, MPI_DOUBLE_PRECISION, column)
  call MPI_Type_commit(column)
  grid(4, :) = 2 * me
  call MPI_Irecv(line, 6, MPI_DOUBLE_PRECISION, left, 6, comm, request)
  call MPI_Send(grid(4, 1), 1, column, right, 6, comm)
  call MPI_Wait(request, status)
  call expect(all(line == 2 * left) .and. status%MPI_TAG == 6 .and. request == MPI_REQUEST_NULL, 9)
  call MPI_Type_free(column)
  call pieces(grid)
  ! What is given to MPI.
  call MPI_Op_create(add_up, .true., op)
  sum = me
  call MPI_Allreduce(MPI_IN_PLACE, sum, 3, MPI_INTEGER, op, comm)
  call expect(all(sum == ranks * (ranks - 1) / 2), 10)
  call MPI_Op_free(op)
  extra = 3
  call MPI_Comm_create_keyval(copy_attr, delete_attr, keyval, extra)
  number = 2_8**40
  call MPI_Comm_set_attr(comm, keyval, number)
  call MPI_Comm_dup(comm, copy)
  call MPI_Comm_get_attr(copy, keyval, number, flag)
  call expect(flag .and. number == 2_8**40 + 3 .and. copies == 1, 11)
  call MPI_Comm_free(copy)
  call expect(deletions == 1 .and. copy == MPI_COMM_NULL, 12)
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra)
  call MPI_Comm_free_keyval(keyval)
  call MPI_Comm_create_errhandler(on_error, handler)
  call MPI_Comm_set_errhandler(comm, handler)
  call MPI_Send(me, 1, MPI_INTEGER, ranks, 0, comm, code)
  call expect(code == MPI_ERR_RANK .and. errors == 1, 13)
  call MPI_Errhandler_free(handler)
  ! Strings, addresses, sizes.
  call MPI_Info_create(info)
  call MPI_Info_set(info, 'key', 'value')
  call MPI_Info_get(info, 'key', 20, value, flag)
  call expect(flag .and. value == 'value', 14)
  call MPI_Info_free(info)
  call MPI_Alloc_mem(400_MPI_ADDRESS_KIND, MPI_INFO_NULL, base)
  call c_f_pointer(base, shared, [100])
  shared = me
  call MPI_Win_create(shared, 400_MPI_ADDRESS_KIND, 4, MPI_INFO_NULL, comm, win)
  call MPI_Win_fence(0, win)
  call MPI_Get(n, 1, MPI_INTEGER, right, 99_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win)
  call MPI_Win_fence(0, win)
  call expect(n == right, 15)
  call MPI_Win_free(win)
  call MPI_Free_mem(shared)
  call MPI_Sizeof(grid, n)
  call expect(n == 8, 16)
  call MPI_Sizeof(me, n)
  call expect(n == 4, 17)
  room = MPI_BSEND_OVERHEAD + 100
  call attach(room)
  call PMPI_Barrier(comm)
  call MPI_Comm_free(comm)
  call expect(MPI_Wtime() > 0 .and. MPI_Aint_diff(7_MPI_ADDRESS_KIND, 4_MPI_ADDRESS_KIND) == 3, 19)
  call MPI_Finalize()
  if (me == 0) print '(a,i0)', 'MT-OK new checks=', checks
contains
  ! Requests on parts of arrays: all of a part, the beginning of one, three dimensions, backwards, an array without a size.
  subroutine pieces(unsized)
    real(kind=8) :: unsized(*), box(4, 5, 6), into(4, 5, 6), row(12)
    integer :: whole(10), i
    type(MPI_Request) :: both(2)
    box = reshape([(me + i, i=1, 120)], [4, 5, 6])
    into = -1
    call MPI_Irecv(into(1:4:2, 2:3, 1:6:3), 8, MPI_DOUBLE_PRECISION, left, 8, comm, both(1))
    call MPI_Isend(box(2:4:2, 4:5, 2:6:3), 8, MPI_DOUBLE_PRECISION, right, 8, comm, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call expect(all(into(1:4:2, 2:3, 1:6:3) == box(2:4:2, 4:5, 2:6:3) - me + left), 20)
    call expect(count(into /= -1) == 8, 21)
    whole = -1
    call MPI_Irecv(whole(10:1:-3), 3, MPI_INTEGER, left, 9, comm, both(1))
    call MPI_Isend([me, me + 1, me + 2], 3, MPI_INTEGER, right, 9, comm, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call expect(all(whole(10:4:-3) == [left, left + 1, left + 2]) .and. count(whole /= -1) == 3, 22)
    call MPI_Irecv(row, 12, MPI_DOUBLE_PRECISION, left, 10, comm, both(1))
    unsized(1:12) = me + 0.5d0
    call MPI_Isend(unsized, 12, MPI_DOUBLE_PRECISION, right, 10, comm, both(2))
    call MPI_Waitall(2, both, MPI_STATUSES_IGNORE)
    call expect(all(row == left + 0.5d0), 23)
    into = -1
    call MPI_Ibcast(into(3, :, 2), 5, MPI_DOUBLE_PRECISION, 0, comm, both(1))
    call MPI_Wait(both(1), MPI_STATUS_IGNORE)
    call expect(count(into /= -1) == 0, 24)
    ! What a type does not divide is an error.
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN)
    call MPI_Isend(whole(1:10:2), 1, MPI_DOUBLE_PRECISION, right, 11, comm, both(1), code)
    call expect(code == MPI_ERR_TYPE, 25)
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL)
  end subroutine
  subroutine attach(bytes)
    integer, intent(in) :: bytes
    character, target :: buffer(bytes)
    type(c_ptr) :: was
    call MPI_Buffer_attach(buffer, bytes)
    call MPI_Buffer_detach(was, n)
    call expect(c_associated(was, c_loc(buffer)) .and. n == bytes, 18)
  end subroutine
  subroutine expect(condition, what)
    logical, intent(in) :: condition
    integer, intent(in) :: what
    checks = checks + 1
    if (condition) return
    write (0, *) 'new.f90: rank ', me, ', check ', what
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine
end program
