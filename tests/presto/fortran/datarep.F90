! SPDX-License-Identifier: BSD-3-Clause
! A representation of the program's own, from Fortran: by mpif.h, or -DUSE_MPI, or -DUSE_MPI_F08. In the file integers are
! negative, and take 8 bytes.
#ifdef USE_MPI_F08
#define TYPE_HANDLE type(MPI_Datatype)
#define FILE_HANDLE type(MPI_File)
#define BUFFER type(c_ptr), value
#else
#define TYPE_HANDLE integer
#define FILE_HANDLE integer
#define BUFFER integer, target
#endif
module representation
  use, intrinsic :: iso_c_binding
  implicit none
contains
  subroutine extent_of(datatype, extent, extra_state, ierror)
#ifdef USE_MPI_F08
    use mpi_f08
#endif
    TYPE_HANDLE :: datatype
    integer(kind=8) :: extent, extra_state
    integer :: ierror
    extent = extra_state
    ierror = 0
  end subroutine

  subroutine to_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
#ifdef USE_MPI_F08
    use mpi_f08
#endif
    BUFFER :: userbuf, filebuf
    TYPE_HANDLE :: datatype
    integer :: count, ierror
    integer(kind=8) :: position, extra_state
    integer, pointer :: user(:), bytes(:, :)
#ifdef USE_MPI_F08
    call c_f_pointer(userbuf, user, [position + count])
    call c_f_pointer(filebuf, bytes, [2, count])
#else
    call c_f_pointer(c_loc(userbuf), user, [position + count])
    call c_f_pointer(c_loc(filebuf), bytes, [2, count])
#endif
    bytes(1, :) = -user(position + 1:position + count)
    bytes(2, :) = int(extra_state)
    ierror = 0
  end subroutine

  subroutine from_file(userbuf, datatype, count, filebuf, position, extra_state, ierror)
#ifdef USE_MPI_F08
    use mpi_f08
#endif
    BUFFER :: userbuf, filebuf
    TYPE_HANDLE :: datatype
    integer :: count, ierror
    integer(kind=8) :: position, extra_state
    integer, pointer :: user(:), bytes(:, :)
#ifdef USE_MPI_F08
    call c_f_pointer(userbuf, user, [position + count])
    call c_f_pointer(filebuf, bytes, [2, count])
#else
    call c_f_pointer(c_loc(userbuf), user, [position + count])
    call c_f_pointer(c_loc(filebuf), bytes, [2, count])
#endif
    user(position + 1:position + count) = -bytes(1, :)
    ierror = merge(0, 1, all(bytes(2, :) == extra_state))
  end subroutine
end module

program datarep
#ifdef USE_MPI_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  use representation
  implicit none
#if !defined(USE_MPI) && !defined(USE_MPI_F08)
  include 'mpif.h'
#endif
  FILE_HANDLE :: fh
  character(len=1000) :: path
  integer :: rank, ierr, checks, out(5), in(5), raw(10)
  integer(kind=MPI_OFFSET_KIND) :: at
  integer(kind=MPI_ADDRESS_KIND) :: extra
  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call get_command_argument(1, path)
  checks = 0
  extra = 8
  call MPI_Register_datarep('negative', from_file, to_file, extent_of, extra, ierr)
  call check(ierr == MPI_SUCCESS)
  call MPI_Register_datarep('negative ', from_file, to_file, extent_of, extra, ierr)
  call check(ierr /= MPI_SUCCESS)
  call MPI_Register_datarep('as it is', MPI_CONVERSION_FN_NULL, MPI_CONVERSION_FN_NULL, extent_of, extra, ierr)
  call check(ierr == MPI_SUCCESS)
  call MPI_File_open(MPI_COMM_WORLD, path, MPI_MODE_CREATE + MPI_MODE_RDWR + MPI_MODE_DELETE_ON_CLOSE, MPI_INFO_NULL, fh, ierr)
  call check(ierr == MPI_SUCCESS)
  at = 40 * rank
  call MPI_File_set_view(fh, at, MPI_INTEGER, MPI_INTEGER, 'negative', MPI_INFO_NULL, ierr)
  call check(ierr == MPI_SUCCESS)
  out = [1, 2, 3, 4, rank]
  at = 0
  call MPI_File_write_at(fh, at, out, 5, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS)
  call MPI_File_read_at(fh, at, in, 5, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS .and. all(in == out))
  at = 40 * rank
  call MPI_File_set_view(fh, at, MPI_INTEGER, MPI_INTEGER, 'as it is', MPI_INFO_NULL, ierr)
  at = 0
  call MPI_File_read_at(fh, at, raw, 10, MPI_INTEGER, MPI_STATUS_IGNORE, ierr)
  call check(ierr == MPI_SUCCESS .and. all(raw(1:9:2) == -out) .and. all(raw(2:10:2) == 8))
  call MPI_File_close(fh, ierr)
  if (rank == 0) print '(a,i0)', ' MT-OK datarep checks=', checks
  call MPI_Finalize(ierr)
contains
  subroutine check(good)
    logical, intent(in) :: good
    integer :: code
    checks = checks + 1
    if (good) return
    print '(a,i0,a,i0)', 'datarep: rank ', rank, ' fails at check ', checks
    call MPI_Abort(MPI_COMM_WORLD, 3, code)
  end subroutine
end program
