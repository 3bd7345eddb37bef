! SPDX-License-Identifier: BSD-3-Clause
! Ranks that come later, and jobs that meet, from Fortran: by mpif.h, or -DUSE_MPI, or -DUSE_MPI_F08. The same program is the
! child, told by its first word.
#ifdef USE_MPI_F08
#define COMM type(MPI_Comm)
#define INFO type(MPI_Info)
#else
#define COMM integer
#define INFO integer
#endif
module sockets
  use, intrinsic :: iso_c_binding
  implicit none
  type, bind(C) :: address
    integer(c_short) :: family = 1
    character(c_char) :: path(20) = c_null_char
  end type
  interface
    function c_socket(domain, kind, protocol) bind(C, name='socket') result(fd)
      import
      integer(c_int), value :: domain, kind, protocol
      integer(c_int) :: fd
    end function
    function c_bind(fd, name, length) bind(C, name='bind') result(code)
      import
      integer(c_int), value :: fd, length
      type(address) :: name
      integer(c_int) :: code
    end function
    function c_connect(fd, name, length) bind(C, name='connect') result(code)
      import
      integer(c_int), value :: fd, length
      type(address) :: name
      integer(c_int) :: code
    end function
    function c_listen(fd, backlog) bind(C, name='listen') result(code)
      import
      integer(c_int), value :: fd, backlog
      integer(c_int) :: code
    end function
    function c_accept(fd, name, length) bind(C, name='accept') result(one)
      import
      integer(c_int), value :: fd
      type(c_ptr), value :: name, length
      integer(c_int) :: one
    end function
    function c_pid() bind(C, name='getpid') result(pid)
      import
      integer(c_int) :: pid
    end function
  end interface
end module

program later
#ifdef USE_MPI_F08
  use mpi_f08
#endif
#ifdef USE_MPI
  use mpi
#endif
  use sockets
  implicit none
#if !defined USE_MPI && !defined USE_MPI_F08
  include 'mpif.h'
#endif
  integer :: me, ranks, ierror, checks
  character(len=256) :: program, word
  COMM :: parent, inter
  checks = 0
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, me, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  call get_command_argument(0, program)
  call MPI_Comm_get_parent(parent, ierror)
  if (parent /= MPI_COMM_NULL) then
    call get_command_argument(1, word)
    if (word == 'use') then
      call use_port
    else
      call tell
    end if
    call MPI_Comm_disconnect(parent, ierror)
    call check(parent == MPI_COMM_NULL, 'disconnected')
  else
    call one
    call several
    call port
    call joined
    call refused
    if (me == 0) print '(a,i0)', 'MT-OK later checks=', checks
  end if
  call MPI_Finalize(ierror)
contains
  subroutine check(well, what)
    logical, intent(in) :: well
    character(len=*), intent(in) :: what
    integer :: code
    checks = checks + 1
    if (well) return
    print '(a,i0,2a)', 'rank ', me, ': not ', what
    call MPI_Abort(MPI_COMM_WORLD, 1, code)
  end subroutine

  ! A child's words, and where it is.
  subroutine tell
    character(len=256) :: words(0:3)
    integer :: i, code
    do i = 1, 2
      call get_command_argument(i, words(i))
    end do
    call getcwd(words(3))
    words(0) = achar(iachar('0') + command_argument_count())
    call MPI_Send(words, 4 * 256, MPI_CHARACTER, 0, me, parent, code)
  end subroutine

  subroutine hear(from, count, first, second, folder)
    integer, intent(in) :: from, count
    character(len=*), intent(in) :: first, second, folder
    character(len=256) :: words(0:3)
    integer :: code
    call MPI_Recv(words, 4 * 256, MPI_CHARACTER, from, from, inter, MPI_STATUS_IGNORE, code)
    call check(iachar(words(0)(1:1)) - iachar('0') == count, 'the count of words')
    if (count > 0) call check(words(1) == first .and. words(2) == second, first // second)
    if (folder /= '') call check(words(3) == folder, folder)
  end subroutine

  subroutine one
    character(len=12), target :: words(3)
    integer :: codes(2), code, remotes
    words = [character(len=12) :: '  first word', ' two  ', ' ']
    if (me /= ranks - 1) words = '**' ! not the root's, and nobody ends it
    codes = -1
    call MPI_Comm_spawn('  ' // program, words, 2, MPI_INFO_NULL, ranks - 1, MPI_COMM_WORLD, inter, codes, code)
    call MPI_Comm_remote_size(inter, remotes, code)
    call check(remotes == 2 .and. all(codes == MPI_SUCCESS), 'two ranks')
    if (me == 0) call hear(0, 2, 'first word', 'two', '')
    if (me == 0) call hear(1, 2, 'first word', 'two', '')
    call MPI_Comm_disconnect(inter, code)
    call check(inter == MPI_COMM_NULL, 'disconnected')
    call MPI_Comm_spawn(program, MPI_ARGV_NULL, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE, code)
    if (me == 0) call hear(0, 0, '', '', '')
    call MPI_Comm_disconnect(inter, code)
  end subroutine

  subroutine several
    character(len=256) :: commands(2)
    character(len=5) :: words(2, 3)
    integer :: most(2), codes(3), code, count
    INFO :: infos(2), root_info
    call MPI_Info_create(root_info, code)
    call MPI_Info_set(root_info, 'wdir', '/', code)
    commands = program
    words(1, :) = [character(len=5) :: 'a', 'bb', '']
    words(2, :) = [character(len=5) :: 'ccccc', 'd', '']
    most = [1, 2]
    infos(1) = MPI_INFO_NULL
    infos(2) = root_info
    count = 2
    if (me /= 0) count = -99
    codes = -1
    call MPI_Comm_spawn_multiple(count, commands, words, most, infos, 0, MPI_COMM_WORLD, inter, codes, code)
    call check(all(codes == MPI_SUCCESS), 'three ranks')
    if (me == 0) then
      call hear(0, 2, 'a', 'bb', '')
      call hear(1, 2, 'ccccc', 'd', '/')
      call hear(2, 2, 'ccccc', 'd', '/')
    end if
    call MPI_Comm_disconnect(inter, code)
    call MPI_Comm_spawn_multiple(2, commands, MPI_ARGVS_NULL, most, infos, 0, MPI_COMM_WORLD, inter, MPI_ERRCODES_IGNORE, code)
    if (me == 0) then
      call hear(0, 0, '', '', '')
      call hear(1, 0, '', '', '/')
      call hear(2, 0, '', '', '/')
    end if
    call MPI_Comm_disconnect(inter, code)
    call MPI_Info_free(root_info, code)
  end subroutine

  subroutine port
    character(len=MPI_MAX_PORT_NAME) :: name
    character(len=3) :: words(2)
    COMM :: child
    integer :: code, got
    words = [character(len=3) :: 'use', '']
    if (me == 0) then
      call MPI_Open_port(MPI_INFO_NULL, name, code)
      call MPI_Publish_name('fortran', MPI_INFO_NULL, name, code)
    end if
    call MPI_Comm_spawn(program, words, 1, MPI_INFO_NULL, 0, MPI_COMM_WORLD, child, MPI_ERRCODES_IGNORE, code)
    call MPI_Comm_accept(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, code)
    call MPI_Recv(got, 1, MPI_INTEGER, 0, 0, inter, MPI_STATUS_IGNORE, code)
    call check(got == 77, 'the number of whom connects')
    call MPI_Comm_disconnect(inter, code)
    if (me == 0) then
      call MPI_Unpublish_name('fortran', MPI_INFO_NULL, name, code)
      call MPI_Close_port(name, code)
    end if
    call MPI_Comm_disconnect(child, code)
  end subroutine

  subroutine use_port
    character(len=MPI_MAX_PORT_NAME) :: name
    COMM :: server
    integer :: code, i, remotes
    call MPI_Lookup_name('fortran', MPI_INFO_NULL, name, code)
    call MPI_Comm_connect(name, MPI_INFO_NULL, 0, MPI_COMM_WORLD, server, code)
    call MPI_Comm_remote_size(server, remotes, code)
    do i = 0, remotes - 1
      call MPI_Send(77, 1, MPI_INTEGER, i, 0, server, code)
    end do
    call MPI_Comm_disconnect(server, code)
  end subroutine

  ! Ranks 0 and 1, by a socket whose name no file has.
  subroutine joined
    type(address) :: name
    character(len=20) :: text
    integer :: code, fd, listening, pid, i
    if (ranks < 2) return
    pid = c_pid()
    call MPI_Bcast(pid, 1, MPI_INTEGER, 0, MPI_COMM_WORLD, code)
    write (text, '(a,i0)') 'later.', pid
    do i = 1, len_trim(text)
      name%path(i + 1) = text(i:i)
    end do
    listening = c_socket(1, 1, 0)
    if (me == 0) call check(c_bind(listening, name, 22) == 0 .and. c_listen(listening, 1) == 0, 'listening')
    call MPI_Barrier(MPI_COMM_WORLD, code)
    fd = listening
    if (me == 0) fd = c_accept(listening, c_null_ptr, c_null_ptr)
    if (me == 1) call check(c_connect(fd, name, 22) == 0, 'connected')
    if (me > 1) return
    call MPI_Comm_join(fd, inter, code)
    i = me
    call MPI_Sendrecv_replace(i, 1, MPI_INTEGER, 0, 0, 0, 0, inter, MPI_STATUS_IGNORE, code)
    call check(i == 1 - me, 'the other rank''s number')
    call MPI_Comm_disconnect(inter, code)
  end subroutine

  subroutine refused
    integer :: codes(2), code, class
    call MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN, code)
    codes = MPI_SUCCESS
    call MPI_Comm_spawn('/no/such/program', MPI_ARGV_NULL, 2, MPI_INFO_NULL, 0, MPI_COMM_WORLD, inter, codes, code)
    call MPI_Error_class(code, class, ierror)
    call check(class == MPI_ERR_SPAWN .and. all(codes == MPI_ERR_SPAWN), 'a program that is not there')
    call MPI_Comm_set_errhandler(MPI_COMM_SELF, MPI_ERRORS_RETURN, code)
    call MPI_Comm_join(-1, inter, code)
    call check(code /= MPI_SUCCESS, 'no socket')
  end subroutine
end program
