! SPDX-License-Identifier: BSD-3-Clause
! The types of module mpi_f08, what compares them, and what the application's functions look like.
module presto_mpi_f08_types
  use, intrinsic :: iso_c_binding, only: c_ptr
  implicit none
  type, bind(C) :: MPI_Comm
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Datatype
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Errhandler
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_File
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Group
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Info
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Message
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Op
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Request
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Win
    integer :: MPI_VAL
  end type
  type, bind(C) :: MPI_Status
    integer :: MPI_SOURCE, MPI_TAG, MPI_ERROR
    integer, private :: presto_cancelled, presto_bytes(2)
  end type
  interface operator(==)
    module procedure presto_same_comm
    module procedure presto_same_datatype
    module procedure presto_same_errhandler
    module procedure presto_same_file
    module procedure presto_same_group
    module procedure presto_same_info
    module procedure presto_same_message
    module procedure presto_same_op
    module procedure presto_same_request
    module procedure presto_same_win
  end interface
  interface operator(/=)
    module procedure presto_other_comm
    module procedure presto_other_datatype
    module procedure presto_other_errhandler
    module procedure presto_other_file
    module procedure presto_other_group
    module procedure presto_other_info
    module procedure presto_other_message
    module procedure presto_other_op
    module procedure presto_other_request
    module procedure presto_other_win
  end interface
  interface MPI_Status_f2f08
    module procedure presto_status_f2f08
  end interface
  interface MPI_Status_f082f
    module procedure presto_status_f082f
  end interface
  interface PMPI_Status_f2f08
    module procedure presto_status_f2f08
  end interface
  interface PMPI_Status_f082f
    module procedure presto_status_f082f
  end interface

  abstract interface
    subroutine MPI_User_function(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_User_function_c(invec, inoutvec, len, datatype)
      import
      type(c_ptr), value :: invec, inoutvec
      integer(kind=8) :: len
      type(MPI_Datatype) :: datatype
    end subroutine
    subroutine MPI_Grequest_query_function(extra_state, status, ierror)
      import
      integer(kind=8) :: extra_state
      type(MPI_Status) :: status
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_free_function(extra_state, ierror)
      integer(kind=8) :: extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Grequest_cancel_function(extra_state, complete, ierror)
      integer(kind=8) :: extra_state
      logical :: complete
      integer :: ierror
    end subroutine
    subroutine MPI_Comm_copy_attr_function(oldcomm, comm_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Comm) :: oldcomm
      integer :: comm_keyval, ierror
      integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Comm_delete_attr_function(comm, comm_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Comm) :: comm
      integer :: comm_keyval, ierror
      integer(kind=8) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Type_copy_attr_function(olddatatype, type_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Datatype) :: olddatatype
      integer :: type_keyval, ierror
      integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Type_delete_attr_function(datatype, type_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer :: type_keyval, ierror
      integer(kind=8) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Win_copy_attr_function(oldwin, win_keyval, extra_state, attribute_val_in, &
        attribute_val_out, flag, ierror)
      import
      type(MPI_Win) :: oldwin
      integer :: win_keyval, ierror
      integer(kind=8) :: extra_state, attribute_val_in, attribute_val_out
      logical :: flag
    end subroutine
    subroutine MPI_Win_delete_attr_function(win, win_keyval, attribute_val, extra_state, ierror)
      import
      type(MPI_Win) :: win
      integer :: win_keyval, ierror
      integer(kind=8) :: attribute_val, extra_state
    end subroutine
    subroutine MPI_Comm_errhandler_function(comm, error_code)
      import
      type(MPI_Comm) :: comm
      integer :: error_code
    end subroutine
    subroutine MPI_Win_errhandler_function(win, error_code)
      import
      type(MPI_Win) :: win
      integer :: error_code
    end subroutine
    subroutine MPI_Datarep_extent_function(datatype, extent, extra_state, ierror)
      import
      type(MPI_Datatype) :: datatype
      integer(kind=8) :: extent, extra_state
      integer :: ierror
    end subroutine
    subroutine MPI_Datarep_conversion_function(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: count, ierror
      integer(kind=8) :: position, extra_state
    end subroutine
    subroutine MPI_Datarep_conversion_function_c(userbuf, datatype, count, filebuf, position, &
        extra_state, ierror)
      import
      type(c_ptr), value :: userbuf, filebuf
      type(MPI_Datatype) :: datatype
      integer :: ierror
      integer(kind=8) :: count, position, extra_state
    end subroutine
    subroutine MPI_File_errhandler_function(file, error_code)
      import
      type(MPI_File) :: file
      integer :: error_code
    end subroutine
  end interface
contains
  elemental logical function presto_same_comm(a, b)
    type(MPI_Comm), intent(in) :: a, b
    presto_same_comm = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_datatype(a, b)
    type(MPI_Datatype), intent(in) :: a, b
    presto_same_datatype = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_errhandler(a, b)
    type(MPI_Errhandler), intent(in) :: a, b
    presto_same_errhandler = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_file(a, b)
    type(MPI_File), intent(in) :: a, b
    presto_same_file = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_group(a, b)
    type(MPI_Group), intent(in) :: a, b
    presto_same_group = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_info(a, b)
    type(MPI_Info), intent(in) :: a, b
    presto_same_info = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_message(a, b)
    type(MPI_Message), intent(in) :: a, b
    presto_same_message = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_op(a, b)
    type(MPI_Op), intent(in) :: a, b
    presto_same_op = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_request(a, b)
    type(MPI_Request), intent(in) :: a, b
    presto_same_request = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_same_win(a, b)
    type(MPI_Win), intent(in) :: a, b
    presto_same_win = a%MPI_VAL == b%MPI_VAL
  end function
  elemental logical function presto_other_comm(a, b)
    type(MPI_Comm), intent(in) :: a, b
    presto_other_comm = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_datatype(a, b)
    type(MPI_Datatype), intent(in) :: a, b
    presto_other_datatype = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_errhandler(a, b)
    type(MPI_Errhandler), intent(in) :: a, b
    presto_other_errhandler = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_file(a, b)
    type(MPI_File), intent(in) :: a, b
    presto_other_file = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_group(a, b)
    type(MPI_Group), intent(in) :: a, b
    presto_other_group = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_info(a, b)
    type(MPI_Info), intent(in) :: a, b
    presto_other_info = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_message(a, b)
    type(MPI_Message), intent(in) :: a, b
    presto_other_message = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_op(a, b)
    type(MPI_Op), intent(in) :: a, b
    presto_other_op = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_request(a, b)
    type(MPI_Request), intent(in) :: a, b
    presto_other_request = a%MPI_VAL /= b%MPI_VAL
  end function
  elemental logical function presto_other_win(a, b)
    type(MPI_Win), intent(in) :: a, b
    presto_other_win = a%MPI_VAL /= b%MPI_VAL
  end function
  subroutine presto_status_f2f08(f_status, f08_status, ierror)
    integer, intent(in) :: f_status(6)
    type(MPI_Status), intent(out) :: f08_status
    integer, optional, intent(out) :: ierror
    f08_status = transfer(f_status, f08_status)
    if (present(ierror)) ierror = 0
  end subroutine
  subroutine presto_status_f082f(f08_status, f_status, ierror)
    type(MPI_Status), intent(in) :: f08_status
    integer, intent(out) :: f_status(6)
    integer, optional, intent(out) :: ierror
    f_status = transfer(f08_status, f_status)
    if (present(ierror)) ierror = 0
  end subroutine
end module
