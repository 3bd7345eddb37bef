! SPDX-License-Identifier: BSD-3-Clause
! MPI from Fortran where it differs from C: handles, places, statuses, strings, logicals, places in arrays, attributes, own
! operations, error handlers, requests, windows, files. For any number of ranks. USE_MPI: by the module; else by mpif.h.
module checked
  implicit none
  integer :: checks = 0, me = -1
contains
  subroutine expect(condition, line)
    logical, intent(in) :: condition
    integer, intent(in) :: line
    integer :: code
    checks = checks + 1
    if (.not. condition) then
      write (0, '(a,i0,a,i0)') 'calls.F90:', line, ': wrong in rank ', me
      call mpi_abort(1, 1, code)
    end if
  end subroutine
end module

#ifdef USE_MPI
#define WITH_MPI use mpi
#define AND_MPI
#else
#define WITH_MPI
#define AND_MPI include 'mpif.h'
#endif
#define EXPECT(c) call expect(c, __LINE__)

module callbacks
  use checked
  implicit none
  integer :: copies = 0, deletions = 0, errors = 0, last_error = 0
contains
  ! Fortran's function of an operation: the larger absolute value.
  subroutine farther(in, inout, n, datatype)
    WITH_MPI
    implicit none
    AND_MPI
    integer :: n, datatype, i
    integer :: in(n), inout(n)
    EXPECT(datatype == MPI_INTEGER)
    do i = 1, n
      if (abs(in(i)) > abs(inout(i))) inout(i) = in(i)
    end do
  end subroutine
  subroutine copy_attr(comm, keyval, extra, in, out, flag, ierror)
    WITH_MPI
    implicit none
    AND_MPI
    integer :: comm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, in, out
    logical :: flag
    EXPECT(extra == 4711_8 * 2_8**33)
    copies = copies + 1
    out = in + 1
    flag = .true.
    ierror = MPI_SUCCESS
  end subroutine
  subroutine delete_attr(comm, keyval, val, extra, ierror)
    WITH_MPI
    implicit none
    AND_MPI
    integer :: comm, keyval, ierror
    integer(kind=MPI_ADDRESS_KIND) :: extra, val
    EXPECT(extra == 4711_8 * 2_8**33 .and. val > 2_8**40)
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine copy_old(comm, keyval, extra, in, out, flag, ierror)
    integer :: comm, keyval, extra, in, out, ierror
    logical :: flag
    out = in + extra
    flag = .true.
    ierror = 0
  end subroutine
  subroutine delete_old(comm, keyval, val, extra, ierror)
    integer :: comm, keyval, val, extra, ierror
    EXPECT(extra == 5 .and. val < 0)
    deletions = deletions + 1
    ierror = 0
  end subroutine
  subroutine on_error(comm, code)
    integer :: comm, code
    EXPECT(comm /= 0)
    errors = errors + 1
    last_error = code
  end subroutine
  subroutine query(extra, status, ierror)
    WITH_MPI
    implicit none
    AND_MPI
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: status(MPI_STATUS_SIZE), ierror
    call MPI_Status_set_elements(status, MPI_INTEGER, int(extra), ierror)
    call MPI_Status_set_cancelled(status, .false., ierror)
    status(MPI_SOURCE) = 7
    status(MPI_TAG) = 8
    ierror = MPI_SUCCESS
  end subroutine
  subroutine release(extra, ierror)
    WITH_MPI
    implicit none
    AND_MPI
    integer(kind=MPI_ADDRESS_KIND) :: extra
    integer :: ierror
    deletions = deletions + 1
    ierror = MPI_SUCCESS
  end subroutine
  subroutine cancel(extra, complete, ierror)
    WITH_MPI
    implicit none
    AND_MPI
    integer(kind=MPI_ADDRESS_KIND) :: extra
    logical :: complete
    integer :: ierror
    ierror = MPI_SUCCESS
  end subroutine
end module

subroutine messages(rank, ranks)
  WITH_MPI
  use checked
  implicit none
  AND_MPI
  integer :: rank, ranks, ierr, right, left, n, i, outcount
  integer :: status(MPI_STATUS_SIZE), requests(80), statuses(MPI_STATUS_SIZE, 80), indices(80), got(80), sent(80)
  real(kind=8) :: wide(10, 10)
  character(len=12) :: text
  logical :: flag
  integer :: message, position
  character :: packed(64)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  call MPI_Sendrecv('abc', 3, MPI_CHARACTER, right, 1, text, 12, MPI_CHARACTER, left, MPI_ANY_TAG, MPI_COMM_WORLD, status, ierr)
  EXPECT(ierr == MPI_SUCCESS .and. text(1:3) == 'abc')
  EXPECT(status(MPI_SOURCE) == left .and. status(MPI_TAG) == 1)
  call MPI_Get_count(status, MPI_CHARACTER, n, ierr)
  EXPECT(n == 3)
  ! A status that is not aligned as C's.
  indices = -9
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 12, n, 1, MPI_INTEGER, left, 12, MPI_COMM_WORLD, indices(2:7), ierr)
  EXPECT(indices(1) == -9 .and. indices(8) == -9 .and. indices(1 + MPI_SOURCE) == left .and. indices(1 + MPI_TAG) == 12)
  call MPI_Sendrecv(rank, 1, MPI_INTEGER, right, 13, n, 1, MPI_INTEGER, left, 13, MPI_COMM_WORLD, indices(3:8), ierr)
  EXPECT(indices(2 + MPI_SOURCE) == left .and. indices(2 + MPI_TAG) == 13)
  ! Parts of arrays that do not lie in one piece.
  wide = 0
  wide(2, :) = rank
  call MPI_Sendrecv(wide(2, :), 10, MPI_DOUBLE_PRECISION, right, 2, wide(5, :), 10, MPI_DOUBLE_PRECISION, left, 2, &
                    MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
  EXPECT(all(wide(5, :) == left) .and. all(wide(4, :) == 0))
  ! More requests than are kept on the stack.
  do i = 1, 80
    sent(i) = 100 * rank + i
    call MPI_Irecv(got(i), 1, MPI_INTEGER, left, i, MPI_COMM_WORLD, requests(i), ierr)
    EXPECT(requests(i) /= MPI_REQUEST_NULL)
  end do
  do i = 1, 80
    call MPI_Send(sent(i), 1, MPI_INTEGER, right, i, MPI_COMM_WORLD, ierr)
  end do
  call MPI_Waitall(60, requests, statuses, ierr)
  EXPECT(all(requests(1:60) == MPI_REQUEST_NULL) .and. all(requests(61:80) /= MPI_REQUEST_NULL))
  EXPECT(all(statuses(MPI_SOURCE, 1:60) == left))
  EXPECT(statuses(MPI_TAG, 60) == 60)
  call MPI_Waitany(20, requests(61:80), i, status, ierr)
  EXPECT(i >= 1 .and. i <= 20)
  EXPECT(status(MPI_TAG) == 60 + i .and. requests(60 + i) == MPI_REQUEST_NULL)
  n = 1
  do while (n < 20)
    call MPI_Waitsome(20, requests(61:80), outcount, indices, statuses, ierr)
    EXPECT(outcount >= 1 .and. minval(indices(1:outcount)) >= 1 .and. maxval(indices(1:outcount)) <= 20)
    EXPECT(all(statuses(MPI_TAG, 1:outcount) == 60 + indices(1:outcount)))
    n = n + outcount
  end do
  call MPI_Waitany(20, requests(61:80), i, MPI_STATUS_IGNORE, ierr)
  EXPECT(i == MPI_UNDEFINED)
  EXPECT(all(got == [(100 * left + i, i=1, 80)]))
  call MPI_Testall(80, requests, flag, MPI_STATUSES_IGNORE, ierr)
  EXPECT(flag)
  ! Persistent requests keep their number.
  call MPI_Recv_init(n, 1, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1), ierr)
  call MPI_Send_init(rank, 1, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(2), ierr)
  indices(1:2) = requests(1:2)
  do i = 1, 3
    n = -1
    call MPI_Startall(2, requests, ierr)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    EXPECT(n == left .and. all(requests(1:2) == indices(1:2)))
  end do
  call MPI_Request_free(requests(1), ierr)
  call MPI_Request_free(requests(2), ierr)
  EXPECT(requests(1) == MPI_REQUEST_NULL)
  call MPI_Isend(rank, 1, MPI_INTEGER, right, 4, MPI_COMM_WORLD, requests(1), ierr)
  flag = .false.
  do while (.not. flag)
    call MPI_Improbe(left, 4, MPI_COMM_WORLD, flag, message, status, ierr)
  end do
  call MPI_Mrecv(n, 1, MPI_INTEGER, message, status, ierr)
  EXPECT(n == left .and. message == MPI_MESSAGE_NULL)
  call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
  position = 0
  call MPI_Pack(rank, 1, MPI_INTEGER, packed, 64, position, MPI_COMM_WORLD, ierr)
  EXPECT(position == 4)
  position = 0
  call MPI_Unpack(packed, 64, position, n, 1, MPI_INTEGER, MPI_COMM_WORLD, ierr)
  EXPECT(n == rank .and. position == 4)
end subroutine

subroutine collectives(rank, ranks)
  WITH_MPI
  use checked
  use callbacks
  implicit none
  AND_MPI
  integer :: rank, ranks, ierr, op, sum, far(2), i, request
  integer :: counts(ranks), displs(ranks), types(ranks), all_of(ranks), in_all(ranks)
  integer, allocatable :: nothing(:)
  logical :: flag
  complex :: z(2)
  sum = rank
  call MPI_Allreduce(MPI_IN_PLACE, sum, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
  EXPECT(sum == ranks * (ranks - 1) / 2)
  z = cmplx(rank, 1.0)
  call MPI_Allreduce(MPI_IN_PLACE, z, 2, MPI_COMPLEX, MPI_SUM, MPI_COMM_WORLD, ierr)
  EXPECT(z(1) == cmplx(ranks * (ranks - 1) / 2, ranks))
  flag = rank == 0
  call MPI_Allreduce(MPI_IN_PLACE, flag, 1, MPI_LOGICAL, MPI_LOR, MPI_COMM_WORLD, ierr)
  EXPECT(flag)
  call MPI_Op_create(farther, .true., op, ierr)
  call MPI_Op_commutative(op, flag, ierr)
  EXPECT(flag)
  far = [-rank, rank]
  call MPI_Allreduce(MPI_IN_PLACE, far, 2, MPI_INTEGER, op, MPI_COMM_WORLD, ierr)
  EXPECT(far(1) == 1 - ranks .and. far(2) == ranks - 1)
  call MPI_Op_free(op, ierr)
  EXPECT(op == MPI_OP_NULL)
  counts = 1
  displs = [(4 * i, i=0, ranks - 1)]
  types = MPI_INTEGER
  all_of = rank
  call MPI_Alltoallw(all_of, counts, displs, types, in_all, counts, displs, types, MPI_COMM_WORLD, ierr)
  EXPECT(all(in_all == [(i, i=0, ranks - 1)]))
  ! What MPI_IN_PLACE makes meaningless is not read.
  allocate (nothing(0))
  call MPI_Alltoallw(MPI_IN_PLACE, nothing, nothing, nothing, in_all, counts, displs, types, MPI_COMM_WORLD, ierr)
  EXPECT(ierr == MPI_SUCCESS .and. all(in_all(:ranks) == [(rank, i=0, ranks - 1)]))
  in_all = -1
  call MPI_Ialltoallw(all_of, counts, displs, types, in_all, counts, displs, types, MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  EXPECT(all(in_all == [(i, i=0, ranks - 1)]))
  ! Again and again; the numbers of the datatypes are not needed any more.
  call MPI_Alltoallw_init(all_of, counts, displs, types, in_all, counts, displs, types, MPI_COMM_WORLD, MPI_INFO_NULL, request, ierr)
  types = MPI_DATATYPE_NULL
  do sum = 1, 3
    all_of = sum * rank
    call MPI_Start(request, ierr)
    call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
    EXPECT(all(in_all == [(sum * i, i=0, ranks - 1)]))
  end do
  call MPI_Request_free(request, ierr)
  EXPECT(request == MPI_REQUEST_NULL)
  far = [rank, -1]
  i = mod(rank + ranks - 1, ranks)
  call MPI_Isendrecv(far(1), 1, MPI_INTEGER, mod(rank + 1, ranks), 3, far(2), 1, MPI_INTEGER, i, 3, MPI_COMM_WORLD, request, ierr)
  call MPI_Wait(request, MPI_STATUS_IGNORE, ierr)
  EXPECT(far(2) == i)
end subroutine

subroutine types
  WITH_MPI
  use checked
  implicit none
  AND_MPI
  integer :: ierr, pair, n, made(2), lengths(2), status(MPI_STATUS_SIZE), numbers(10), combiner, i, j, k
  integer :: request
  integer(kind=MPI_ADDRESS_KIND) :: at(2), addresses(10), lb, extent
  integer :: ints
  integer, parameter :: long = selected_int_kind(12), precise = selected_real_kind(10, 100)
  integer(kind=long) :: many(3)
  complex(kind=precise) :: point(2)
  real(kind=precise) :: line(5)
  real(kind=8) :: real
  common /both/ real, ints
  character(len=MPI_MAX_OBJECT_NAME) :: name
  call MPI_Get_address(ints, at(1), ierr)
  call MPI_Get_address(real, at(2), ierr)
  lengths = 1
  made = [MPI_INTEGER, MPI_DOUBLE_PRECISION]
  call MPI_Type_create_struct(2, lengths, at, made, pair, ierr)
  call MPI_Type_commit(pair, ierr)
  EXPECT(ierr == MPI_SUCCESS)
  ints = 3
  real = 0.5d0
  ! Absolute addresses, to oneself.
  call MPI_Isend(MPI_BOTTOM, 1, pair, 0, 9, MPI_COMM_SELF, request, ierr)
  call MPI_Wait(request, status, ierr)
  ints = 0
  real = 0
  call MPI_Recv(MPI_BOTTOM, 1, pair, 0, 9, MPI_COMM_SELF, status, ierr)
  EXPECT(ints == 3 .and. real == 0.5d0)
  call MPI_Get_address(MPI_BOTTOM, at(1), ierr)
  EXPECT(at(1) == 0)
  call MPI_Type_get_envelope(pair, i, j, k, combiner, ierr)
  EXPECT(combiner == MPI_COMBINER_STRUCT .and. i == 3 .and. j == 2 .and. k == 2)
  made = 0
  call MPI_Type_get_contents(pair, 10, 10, 2, numbers, addresses, made, ierr)
  EXPECT(all(made == [MPI_INTEGER, MPI_DOUBLE_PRECISION]) .and. addresses(2) == at(2))
  call MPI_Type_free(pair, ierr)
  EXPECT(pair == MPI_DATATYPE_NULL)
  call MPI_Type_get_extent(MPI_DOUBLE_PRECISION, lb, extent, ierr)
  EXPECT(lb == 0 .and. extent == 8)
  call MPI_Type_get_name(MPI_INTEGER, name, n, ierr)
  EXPECT(name == 'MPI_INTEGER' .and. n == 11)
  call MPI_Type_create_f90_real(15, 300, made(1), ierr)
  call MPI_Type_size(made(1), n, ierr)
  EXPECT(n == 8)
  ! Types by what their numbers hold are those of such variables: in messages, and in sums.
  call MPI_Type_create_f90_integer(12, made(1), ierr)
  call MPI_Type_size(made(1), n, ierr)
  EXPECT(8 * n == storage_size(many))
  call MPI_Comm_size(MPI_COMM_WORLD, n, ierr)
  many = [5000000000_long, -1_long, 0_long]
  call MPI_Allreduce(MPI_IN_PLACE, many, 3, made(1), MPI_SUM, MPI_COMM_WORLD, ierr)
  EXPECT(all(many == [5000000000_long * n, -1_long * n, 0_long]))
  call MPI_Type_create_f90_complex(10, 100, made(1), ierr)
  call MPI_Type_create_f90_real(10, 100, made(2), ierr)
  call MPI_Type_size(made(1), n, ierr)
  EXPECT(8 * n == storage_size(point))
  call MPI_Sendrecv(cmplx([1, 2], 0.25_precise, precise), 2, made(1), 0, 4, point, 2, made(1), 0, 4, MPI_COMM_SELF, status, ierr)
  EXPECT(all(point == cmplx([1, 2], 0.25_precise, precise)))
  line = 1e90_precise
  call MPI_Allreduce(MPI_IN_PLACE, line, 5, made(2), MPI_MAX, MPI_COMM_WORLD, ierr)
  EXPECT(all(line == 1e90_precise))
#ifdef USE_MPI
  call MPI_Sizeof(many, n, ierr)
  EXPECT(ierr == MPI_SUCCESS .and. 8 * n == storage_size(many))
  call MPI_Sizeof(point(1), n, ierr)
  EXPECT(8 * n == storage_size(point))
  call MPI_Sizeof(line, n, ierr)
  EXPECT(8 * n == storage_size(line))
  call MPI_Sizeof(n, n, ierr)
  EXPECT(n == 4)
#endif
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 4, made(1), ierr)
  EXPECT(made(1) /= MPI_DATATYPE_NULL)
  call MPI_Type_match_size(MPI_TYPECLASS_REAL, 16, made(1), ierr)
  EXPECT(made(1) == MPI_REAL16)
  call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 32, made(1), ierr)
  EXPECT(made(1) == MPI_COMPLEX32)
  call MPI_Type_match_size(MPI_TYPECLASS_COMPLEX, 16, made(1), ierr)
  EXPECT(made(1) == MPI_DOUBLE_COMPLEX .or. made(1) /= MPI_COMPLEX32)
end subroutine

subroutine objects(rank, ranks)
  WITH_MPI
  use checked
  use callbacks
  implicit none
  AND_MPI
  integer :: rank, ranks, ierr, comm, copy, group, keyval, old, n, handler, info, request, dims(1), coords(1), low
  integer :: status(MPI_STATUS_SIZE), ranges(3, 1), value32
  integer(kind=MPI_ADDRESS_KIND) :: number, extra
  logical :: flag, periods(1)
  character(len=30) :: text
  character(len=MPI_MAX_ERROR_STRING) :: words
  call MPI_Comm_dup(MPI_COMM_WORLD, comm, ierr)
  call MPI_Comm_set_name(comm, 'from Fortran  ', ierr)
  text = repeat('x', 30)
  call MPI_Comm_get_name(comm, text, n, ierr)
  EXPECT(n == 12 .and. text == 'from Fortran')
  call MPI_Comm_group(comm, group, ierr)
  ranges(:, 1) = [0, ranks - 1, 1]
  call MPI_Group_range_incl(group, 1, ranges, low, ierr)
  call MPI_Group_compare(group, low, n, ierr)
  EXPECT(n == MPI_IDENT)
  call MPI_Group_free(group, ierr)
  call MPI_Group_free(low, ierr)
  ! Attributes: Fortran's own, and the predefined ones.
  extra = 4711_8 * 2_8**33
  call MPI_Comm_create_keyval(copy_attr, delete_attr, keyval, extra, ierr)
  number = 2_8**41
  call MPI_Comm_set_attr(comm, keyval, number, ierr)
  call MPI_Comm_dup(comm, copy, ierr)
  number = 0
  call MPI_Comm_get_attr(copy, keyval, number, flag, ierr)
  EXPECT(flag .and. number == 2_8**41 + 1 .and. copies == 1)
  call MPI_Comm_free(copy, ierr)
  EXPECT(deletions == 1 .and. copy == MPI_COMM_NULL)
  call MPI_Comm_delete_attr(comm, keyval, ierr)
  EXPECT(deletions == 2)
  call MPI_Comm_free_keyval(keyval, ierr)
  EXPECT(keyval == MPI_KEYVAL_INVALID)
  call MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, keyval, extra, ierr)
  call MPI_Comm_set_attr(comm, keyval, -3_MPI_ADDRESS_KIND, ierr)
  call MPI_Comm_dup(comm, copy, ierr)
  call MPI_Comm_get_attr(copy, keyval, number, flag, ierr)
  EXPECT(flag .and. number == -3)
  call MPI_Comm_free(copy, ierr)
  call MPI_Comm_free_keyval(keyval, ierr)
  call MPI_Keyval_create(copy_old, delete_old, old, 5, ierr)
  call MPI_Attr_put(comm, old, -40, ierr)
  call MPI_Comm_dup(comm, copy, ierr)
  call MPI_Attr_get(copy, old, value32, flag, ierr)
  EXPECT(flag .and. value32 == -35)
  call MPI_Comm_free(copy, ierr)
  call MPI_Attr_delete(comm, old, ierr)
  EXPECT(deletions == 4)
  call MPI_Keyval_free(old, ierr)
  call MPI_Comm_get_attr(comm, MPI_TAG_UB, number, flag, ierr)
  EXPECT(flag .and. number >= 32767)
  call MPI_Attr_get(MPI_COMM_WORLD, MPI_TAG_UB, value32, flag, ierr)
  EXPECT(flag .and. value32 == number)
  ! Errors.
  call MPI_Comm_create_errhandler(on_error, handler, ierr)
  call MPI_Comm_set_errhandler(comm, handler, ierr)
  call MPI_Send(rank, 1, MPI_INTEGER, ranks, 0, comm, ierr)
  EXPECT(ierr == MPI_ERR_RANK .and. errors == 1 .and. last_error == MPI_ERR_RANK)
  call MPI_Errhandler_free(handler, ierr)
  call MPI_Comm_set_errhandler(comm, MPI_ERRORS_RETURN, ierr)
  call MPI_Send(rank, -1, MPI_INTEGER, 0, 0, comm, ierr)
  call MPI_Error_string(ierr, words, n, value32)
  EXPECT(ierr == MPI_ERR_COUNT .and. words(1:13) == 'MPI_ERR_COUNT' .and. len_trim(words) == n)
  ! A handle of another kind is none.
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, ierr)
  call MPI_Barrier(MPI_INTEGER, ierr)
  EXPECT(ierr == MPI_ERR_COMM)
  call MPI_Send(rank, 1, comm, 0, 0, comm, ierr)
  EXPECT(ierr == MPI_ERR_TYPE)
  call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL, ierr)
  ! Grids and graphs.
  dims = ranks
  periods = .true.
  call MPI_Cart_create(comm, 1, dims, periods, .false., copy, ierr)
  periods = .false.
  call MPI_Cart_get(copy, 1, dims, periods, coords, ierr)
  EXPECT(periods(1) .and. dims(1) == ranks .and. coords(1) == rank)
  call MPI_Comm_free(copy, ierr)
  call MPI_Dist_graph_create(comm, 1, [rank], [1], [mod(rank + 1, ranks)], MPI_UNWEIGHTED, MPI_INFO_NULL, .false., copy, ierr)
  call MPI_Dist_graph_neighbors_count(copy, dims(1), n, flag, ierr)
  EXPECT(dims(1) == 1 .and. n == 1 .and. .not. flag)
  call MPI_Comm_free(copy, ierr)
  ! Infos: blanks around keys and values do not count.
  call MPI_Info_create(info, ierr)
  call MPI_Info_set(info, ' key ', '  a value   ', ierr)
  text = 'unchanged'
  call MPI_Info_get(info, 'nothing', 30, text, flag, ierr)
  EXPECT(.not. flag .and. text == 'unchanged')
  call MPI_Info_get(info, 'key', 30, text, flag, ierr)
  EXPECT(flag .and. text == 'a value')
  n = 0
  text = 'unchanged'
  call MPI_Info_get_string(info, 'key', n, text, flag, ierr)
  EXPECT(flag .and. n == 7 .and. text == 'unchanged')
  call MPI_Info_get_string(info, 'key', n, text, flag, ierr)
  EXPECT(flag .and. n == 7 .and. text == 'a value')
  call MPI_Info_get_nthkey(info, 0, text, ierr)
  EXPECT(text == 'key')
  call MPI_Info_free(info, ierr)
  ! A request of the application's own.
  deletions = 0
  call MPI_Grequest_start(query, release, cancel, 3_MPI_ADDRESS_KIND, request, ierr)
  call MPI_Grequest_complete(request, ierr)
  call MPI_Wait(request, status, ierr)
  EXPECT(status(MPI_SOURCE) == 7 .and. status(MPI_TAG) == 8 .and. deletions == 1)
  call MPI_Get_elements(status, MPI_INTEGER, n, ierr)
  EXPECT(n == 3)
  call MPI_Comm_free(comm, ierr)
end subroutine

subroutine memory(rank, ranks)
  WITH_MPI
  use checked
  implicit none
  AND_MPI
  integer :: rank, ranks, ierr, win, got, words(4), fh, status(MPI_STATUS_SIZE), n
  integer(kind=MPI_ADDRESS_KIND) :: number, bytes
  integer(kind=MPI_OFFSET_KIND) :: at
  logical :: flag
  character(len=64) :: name
  words = rank
  bytes = 16
  call MPI_Win_create(words, bytes, 4, MPI_INFO_NULL, MPI_COMM_WORLD, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  call MPI_Get(got, 1, MPI_INTEGER, mod(rank + 1, ranks), 2_MPI_ADDRESS_KIND, 1, MPI_INTEGER, win, ierr)
  call MPI_Win_fence(0, win, ierr)
  EXPECT(got == mod(rank + 1, ranks))
  call MPI_Win_get_attr(win, MPI_WIN_SIZE, number, flag, ierr)
  EXPECT(flag .and. number == 16)
  call MPI_Win_get_attr(win, MPI_WIN_DISP_UNIT, number, flag, ierr)
  EXPECT(flag .and. number == 4)
  call MPI_Get_address(words, bytes, ierr)
  call MPI_Win_get_attr(win, MPI_WIN_BASE, number, flag, ierr)
  EXPECT(flag .and. number == bytes)
  call MPI_Win_free(win, ierr)
  EXPECT(win == MPI_WIN_NULL)
  call get_command_argument(1, name)
  if (name == '') return
  call MPI_File_open(MPI_COMM_WORLD, name, MPI_MODE_CREATE + MPI_MODE_RDWR, MPI_INFO_NULL, fh, ierr)
  EXPECT(ierr == MPI_SUCCESS)
  at = 4 * rank
  call MPI_File_write_at_all(fh, at, rank, 1, MPI_INTEGER, status, ierr)
  call MPI_Get_count(status, MPI_INTEGER, n, ierr)
  EXPECT(n == 1)
  call MPI_File_sync(fh, ierr)
  call MPI_Barrier(MPI_COMM_WORLD, ierr)
  at = 4 * mod(rank + 1, ranks)
  call MPI_File_read_at(fh, at, got, 1, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  EXPECT(got == mod(rank + 1, ranks))
  call MPI_File_get_size(fh, at, ierr)
  EXPECT(at == 4 * ranks)
  call MPI_File_close(fh, ierr)
  EXPECT(fh == MPI_FILE_NULL)
end subroutine

program calls
  WITH_MPI
  use checked
  implicit none
  AND_MPI
  integer :: ierr, ranks, provided, n
  logical :: flag
  double precision :: before
  character(len=MPI_MAX_PROCESSOR_NAME) :: host
  call MPI_Initialized(flag, ierr)
  EXPECT(.not. flag)
  call MPI_Init_thread(MPI_THREAD_FUNNELED, provided, ierr)
  EXPECT(provided >= MPI_THREAD_FUNNELED)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  EXPECT(ierr == MPI_SUCCESS .and. ranks >= 1)
  before = MPI_Wtime()
  call MPI_Get_processor_name(host, n, ierr)
  EXPECT(len_trim(host) == n)
  call messages(me, ranks)
  call collectives(me, ranks)
  call types
  call objects(me, ranks)
  call memory(me, ranks)
  EXPECT(MPI_Wtime() >= before .and. MPI_Aint_add(4_MPI_ADDRESS_KIND, 2_MPI_ADDRESS_KIND) == 6)
  call PMPI_Barrier(MPI_COMM_WORLD, ierr)
  call MPI_Finalize(ierr)
  call MPI_Finalized(flag, ierr)
  EXPECT(flag)
  if (me == 0) print '(a,i0,a,i0)', 'MT-OK calls ranks=', ranks, ' checks=', checks
end program
