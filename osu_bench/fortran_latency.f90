! SPDX-License-Identifier: BSD-3-Clause
! MPI_Send and MPI_Recv of 8 bytes from Fortran over the same from C (fortran_latency_c.c), in turns in one program:
!   prestocc -O2 -c fortran_latency_c.c && prestofc -O2 fortran_latency.f90 fortran_latency_c.o -o fortran_latency
!   prestorun -n 2 --bind-to core ./fortran_latency [LOOPS [TURNS]]
! By mpif.h's calls, module mpi and module mpi_f08.
subroutine ping_mpif(rank, loops)
  implicit none
  include 'mpif.h'
  integer, intent(in) :: rank, loops
  integer :: i, ierr, status(MPI_STATUS_SIZE)
  real(kind=8) :: word
  word = 0
  do i = 1, loops
    if (rank == 0) then
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, status, ierr)
    else
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status, ierr)
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
    end if
  end do
end subroutine

subroutine ping_mpi(rank, loops)
  use mpi
  implicit none
  integer, intent(in) :: rank, loops
  integer :: i, ierr, status(MPI_STATUS_SIZE)
  real(kind=8) :: word
  word = 0
  do i = 1, loops
    if (rank == 0) then
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, ierr)
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, status, ierr)
    else
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status, ierr)
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, ierr)
    end if
  end do
end subroutine

subroutine ping_f08(rank, loops)
  use mpi_f08
  implicit none
  integer, intent(in) :: rank, loops
  integer :: i
  type(MPI_Status) :: status
  real(kind=8) :: word
  word = 0
  do i = 1, loops
    if (rank == 0) then
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD)
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 1, 1, MPI_COMM_WORLD, status)
    else
      call MPI_Recv(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD, status)
      call MPI_Send(word, 1, MPI_DOUBLE_PRECISION, 0, 1, MPI_COMM_WORLD)
    end if
  end do
end subroutine

program fortran_latency
  use mpi
  implicit none
  character(len=12), parameter :: names(4) = ['C           ', 'mpif.h      ', 'use mpi     ', 'use mpi_f08 ']
  integer :: ierr, me, ranks, loops, turns, turn, way
  double precision, allocatable :: took(:, :)
  double precision :: began
  character(len=16) :: word
  external :: ping_c, ping_mpif, ping_mpi, ping_f08
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  loops = 10000
  turns = 31
  call get_command_argument(1, word)
  if (word /= '') read (word, *) loops
  call get_command_argument(2, word)
  if (word /= '') read (word, *) turns
  if (ranks /= 2 .or. loops < 1 .or. turns < 1) then
    if (me == 0) write (0, '(a)') 'fortran_latency: takes two ranks, and LOOPS and TURNS of at least 1'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  allocate (took(turns, 4))
  do turn = 0, turns
    do way = 1, 4
      call MPI_Barrier(MPI_COMM_WORLD, ierr)
      began = MPI_Wtime()
      if (way == 1) call ping_c(me, loops)
      if (way == 2) call ping_mpif(me, loops)
      if (way == 3) call ping_mpi(me, loops)
      if (way == 4) call ping_f08(me, loops)
      if (turn > 0) took(turn, way) = MPI_Wtime() - began
    end do
  end do
  if (me == 0) then
    print '(a)', '# 8 B          us   over C'
    do way = 1, 4
      print '(a,f8.3,f9.3)', names(way), median(took(:, way)) / loops / 2 * 1d6, median(took(:, way)) / median(took(:, 1))
    end do
  end if
  deallocate (took)
  call MPI_Finalize(ierr)
contains
  function median(all) result(middle)
    double precision, intent(in) :: all(:)
    double precision :: middle
    integer :: i
    middle = 0
    do i = 1, size(all)
      if (count(all < all(i)) <= (size(all) - 1) / 2 .and. count(all <= all(i)) > (size(all) - 1) / 2) middle = all(i)
    end do
  end function
end program
