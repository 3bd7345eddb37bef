! SPDX-License-Identifier: BSD-3-Clause
! Module mpi_f08 with counts of kind MPI_COUNT_KIND: each function of the two that a name has, by the kinds of its arguments.
module large_given
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr, c_f_pointer
  implicit none
contains
  subroutine add_up(invec, inoutvec, len, datatype)
    type(c_ptr), value :: invec, inoutvec
    integer(kind=MPI_COUNT_KIND) :: len
    type(MPI_Datatype) :: datatype
    integer, pointer :: in(:), inout(:)
    if (datatype /= MPI_INTEGER) call MPI_Abort(MPI_COMM_WORLD, 1)
    call c_f_pointer(invec, in, [len])
    call c_f_pointer(inoutvec, inout, [len])
    inout = inout + in
  end subroutine
end module

program large
  use large_given
  use mpi_f08
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  integer, parameter :: wide = MPI_COUNT_KIND, address = MPI_ADDRESS_KIND
  integer(wide), parameter :: many = 3000000000_wide
  integer :: me, ranks, left, right, i, checks, short, got(4), all(64), bytes(16)
  integer(wide) :: n, lb, extent, position
  integer(wide), allocatable :: counts(:)
  integer(address), allocatable :: displs(:)
  real(kind=8) :: grid(8, 8), other(8, 8)
  type(MPI_Status) :: status
  type(MPI_Request) :: requests(2)
  type(MPI_Datatype) :: type, inner
  type(MPI_Datatype), allocatable :: types(:)
  type(MPI_Op) :: op
  checks = 0
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, me)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks)
  left = mod(me + ranks - 1, ranks)
  right = mod(me + 1, ranks)
  call messages
  call sections
  call collectives
  call datatypes
  call packing
  call MPI_Finalize()
  if (me == 0) print '(a,i0)', 'MT-OK large checks=', checks
contains
  subroutine expect(good, line)
    logical, intent(in) :: good
    integer, intent(in) :: line
    checks = checks + 1
    if (good) return
    print '(a,i0,a,i0)', 'FAIL: large.f90 check ', line, ' at rank ', me
    call MPI_Abort(MPI_COMM_WORLD, 1)
  end subroutine

  subroutine messages
    call MPI_Irecv(got, 4_wide, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1))
    call PMPI_Send([me, me, me], 3_wide, MPI_INTEGER, right, 1, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), status)
    call MPI_Get_count(status, MPI_INTEGER, n)
    call MPI_Get_count(status, MPI_INTEGER, short)
    call expect(n == 3 .and. short == 3 .and. all_of(got(1:3), left), 1)
    call MPI_Sendrecv(me, 1_wide, MPI_INTEGER, right, 2, got, 1_wide, MPI_INTEGER, left, 2, MPI_COMM_WORLD, status)
    call expect(got(1) == left .and. status%MPI_TAG == 2, 2)
    ! More than an integer of 4 bytes counts, without memory for it.
    call MPI_Status_set_elements(status, MPI_BYTE, many)
    call MPI_Get_elements(status, MPI_BYTE, n)
    call MPI_Get_count(status, MPI_BYTE, short)
    call expect(n == many .and. short == MPI_UNDEFINED, 3)
    call MPI_Send_init(me, 1_wide, MPI_INTEGER, right, 3, MPI_COMM_WORLD, requests(1))
    call MPI_Recv_init(got, 1_wide, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(2))
    call MPI_Startall(2, requests)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(got(1) == left, 4)
    do i = 1, 2
      call MPI_Request_free(requests(i))
    end do
  end subroutine

  logical function all_of(values, value)
    integer, intent(in) :: values(:), value
    all_of = count(values == value) == size(values)
  end function

  ! Rows of an array do not lie in one piece.
  subroutine sections
    grid = me
    other = -1
    call MPI_Irecv(other(3, :), 8_wide, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Isend(grid(2, :), 8_wide, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD, requests(2))
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE)
    call expect(count(other == left) == 8 .and. count(other(3, :) == left) == 8 .and. count(other == -1) == 56, 5)
    other = -1
    call MPI_Irecv(other(3, :), 5_wide, MPI_DOUBLE_PRECISION, left, 4, MPI_COMM_WORLD, requests(1))
    call MPI_Send(grid(2, :), 5_wide, MPI_DOUBLE_PRECISION, right, 4, MPI_COMM_WORLD)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(count(other == left) == 5 .and. count(other(3, :5) == left) == 5, 18)
  end subroutine

  subroutine collectives
    allocate (counts(ranks), displs(ranks), types(ranks))
    do i = 1, ranks
      counts(i) = i
      displs(i) = 10 * (i - 1)
    end do
    all = -1
    got = me
    call MPI_Allgatherv(got, int(me + 1, wide), MPI_INTEGER, all, counts, displs, MPI_INTEGER, MPI_COMM_WORLD)
    call expect(all(1) == 0 .and. all(2) == -1 .and. all(10 * (ranks - 1) + ranks) == ranks - 1, 6)
    counts = 1
    displs = [(4 * (i - 1), i = 1, ranks)]
    types = MPI_INTEGER
    all(1:ranks) = me
    call MPI_Alltoallw(all, counts, displs, types, bytes, counts, displs, types, MPI_COMM_WORLD)
    do i = 1, ranks
      call expect(bytes(i) == i - 1, 7)
    end do
    call MPI_Iallreduce(me, got, 1_wide, MPI_INTEGER, MPI_MAX, MPI_COMM_WORLD, requests(1))
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE)
    call expect(got(1) == ranks - 1, 8)
    call MPI_Bcast(got, 1_wide, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Bcast(got, 1, MPI_INTEGER, 0, MPI_COMM_WORLD)
    call MPI_Allreduce(MPI_IN_PLACE, got, 1_wide, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
    call expect(got(1) == ranks * (ranks - 1), 9)
    call MPI_Op_create_c(add_up, .true., op)
    got = [1, 2, 3, me]
    call MPI_Allreduce(MPI_IN_PLACE, got, 4_wide, MPI_INTEGER, op, MPI_COMM_WORLD)
    call expect(got(2) == 2 * ranks .and. got(4) == ranks * (ranks - 1) / 2, 19)
    call MPI_Op_free(op)
    deallocate (counts, displs, types)
  end subroutine

  subroutine datatypes
    integer :: combiner, integers(1)
    integer(wide) :: ints, addresses, larges, datatypes_in, kept(2)
    integer(address) :: places(1)
    type(MPI_Datatype) :: held(1)
    call MPI_Type_contiguous(many, MPI_BYTE, type)
    call MPI_Type_get_envelope(type, ints, addresses, larges, datatypes_in, combiner)
    call expect(combiner == MPI_COMBINER_CONTIGUOUS .and. larges == 1 .and. datatypes_in == 1, 20)
    call MPI_Type_get_contents(type, ints, addresses, larges, datatypes_in, integers, places, kept, held)
    call expect(kept(1) == many .and. held(1) == MPI_BYTE, 21)
    call MPI_Type_size(type, n)
    call MPI_Type_size(type, short)
    call expect(n == many .and. short == MPI_UNDEFINED, 10)
    call MPI_Type_get_extent(type, lb, extent)
    call expect(lb == 0 .and. extent == many, 11)
    call MPI_Type_free(type)
    call MPI_Type_vector(2_wide, 3_wide, many, MPI_INTEGER, type)
    call MPI_Type_get_extent(type, lb, extent)
    call expect(extent == 4 * many + 12, 12)
    call MPI_Type_free(type)
    call MPI_Type_create_struct(2_wide, [1_wide, 2_wide], [0_wide, many], [MPI_INTEGER, MPI_REAL], type)
    call MPI_Type_get_true_extent(type, lb, extent)
    call expect(extent == many + 8, 13)
    call MPI_Type_free(type)
    call MPI_Type_create_subarray(2, [many, 4_wide], [2_wide, 2_wide], [1_wide, 1_wide], MPI_ORDER_FORTRAN, MPI_BYTE, inner)
    call MPI_Type_get_extent(inner, lb, extent)
    call expect(extent == 4 * many, 14)
    call MPI_Type_free(inner)
  end subroutine

  subroutine packing
    character, save :: room(1024)
    type(c_ptr) :: base
    position = 0
    call MPI_Pack([1, 2, 3], 3_wide, MPI_INTEGER, all, 256_wide, position, MPI_COMM_WORLD)
    call expect(position == 12, 15)
    call MPI_Pack_external_size('external32', 3_wide, MPI_INTEGER, n)
    call expect(n == 12, 16)
    position = 0
    call MPI_Pack_external('external32', [1, 2, 3], 3_wide, MPI_INTEGER, all, 256_wide, position)
    call MPI_Buffer_attach(room, 1024_wide)
    call MPI_Buffer_detach(base, n)
    call expect(position == 12 .and. n == 1024, 17)
  end subroutine
end program
