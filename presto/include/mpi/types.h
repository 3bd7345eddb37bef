/* SPDX-License-Identifier: BSD-3-Clause */
/* Part of mpi.h: the predefined objects. Their handles are addresses, which initialise static
 * variables too. */
#ifndef PRESTO_MPI_TYPES_H
#define PRESTO_MPI_TYPES_H

extern struct pri_comm presto_comm_world, presto_comm_self;
#define MPI_COMM_WORLD (&presto_comm_world)
#define MPI_COMM_SELF  (&presto_comm_self)

extern struct pri_group presto_group_empty;
#define MPI_GROUP_EMPTY (&presto_group_empty)

extern struct pri_errhandler presto_errors_are_fatal, presto_errors_return;
#define MPI_ERRORS_ARE_FATAL (&presto_errors_are_fatal)
#define MPI_ERRORS_RETURN    (&presto_errors_return)

extern struct pri_info presto_info_env;
#define MPI_INFO_ENV (&presto_info_env)

extern struct pri_mpi_message presto_message_no_proc;
#define MPI_MESSAGE_NO_PROC (&presto_message_no_proc)

extern struct pri_op presto_op_max;
#define MPI_MAX (&presto_op_max)
extern struct pri_op presto_op_min;
#define MPI_MIN (&presto_op_min)
extern struct pri_op presto_op_sum;
#define MPI_SUM (&presto_op_sum)
extern struct pri_op presto_op_prod;
#define MPI_PROD (&presto_op_prod)
extern struct pri_op presto_op_land;
#define MPI_LAND (&presto_op_land)
extern struct pri_op presto_op_band;
#define MPI_BAND (&presto_op_band)
extern struct pri_op presto_op_lor;
#define MPI_LOR (&presto_op_lor)
extern struct pri_op presto_op_bor;
#define MPI_BOR (&presto_op_bor)
extern struct pri_op presto_op_lxor;
#define MPI_LXOR (&presto_op_lxor)
extern struct pri_op presto_op_bxor;
#define MPI_BXOR (&presto_op_bxor)
extern struct pri_op presto_op_minloc;
#define MPI_MINLOC (&presto_op_minloc)
extern struct pri_op presto_op_maxloc;
#define MPI_MAXLOC (&presto_op_maxloc)
extern struct pri_op presto_op_replace;
#define MPI_REPLACE (&presto_op_replace)
extern struct pri_op presto_op_no_op;
#define MPI_NO_OP (&presto_op_no_op)

extern struct pri_type presto_type_char;
#define MPI_CHAR (&presto_type_char)
extern struct pri_type presto_type_signed_char;
#define MPI_SIGNED_CHAR (&presto_type_signed_char)
extern struct pri_type presto_type_unsigned_char;
#define MPI_UNSIGNED_CHAR (&presto_type_unsigned_char)
extern struct pri_type presto_type_byte;
#define MPI_BYTE (&presto_type_byte)
extern struct pri_type presto_type_packed;
#define MPI_PACKED (&presto_type_packed)
extern struct pri_type presto_type_wchar;
#define MPI_WCHAR (&presto_type_wchar)
extern struct pri_type presto_type_short;
#define MPI_SHORT (&presto_type_short)
extern struct pri_type presto_type_unsigned_short;
#define MPI_UNSIGNED_SHORT (&presto_type_unsigned_short)
extern struct pri_type presto_type_int;
#define MPI_INT (&presto_type_int)
extern struct pri_type presto_type_unsigned;
#define MPI_UNSIGNED (&presto_type_unsigned)
extern struct pri_type presto_type_long;
#define MPI_LONG (&presto_type_long)
extern struct pri_type presto_type_unsigned_long;
#define MPI_UNSIGNED_LONG (&presto_type_unsigned_long)
extern struct pri_type presto_type_long_long;
#define MPI_LONG_LONG (&presto_type_long_long)
extern struct pri_type presto_type_unsigned_long_long;
#define MPI_UNSIGNED_LONG_LONG (&presto_type_unsigned_long_long)
extern struct pri_type presto_type_float;
#define MPI_FLOAT (&presto_type_float)
extern struct pri_type presto_type_double;
#define MPI_DOUBLE (&presto_type_double)
extern struct pri_type presto_type_long_double;
#define MPI_LONG_DOUBLE (&presto_type_long_double)
extern struct pri_type presto_type_int8;
#define MPI_INT8_T (&presto_type_int8)
extern struct pri_type presto_type_int16;
#define MPI_INT16_T (&presto_type_int16)
extern struct pri_type presto_type_int32;
#define MPI_INT32_T (&presto_type_int32)
extern struct pri_type presto_type_int64;
#define MPI_INT64_T (&presto_type_int64)
extern struct pri_type presto_type_uint8;
#define MPI_UINT8_T (&presto_type_uint8)
extern struct pri_type presto_type_uint16;
#define MPI_UINT16_T (&presto_type_uint16)
extern struct pri_type presto_type_uint32;
#define MPI_UINT32_T (&presto_type_uint32)
extern struct pri_type presto_type_uint64;
#define MPI_UINT64_T (&presto_type_uint64)
extern struct pri_type presto_type_aint;
#define MPI_AINT (&presto_type_aint)
extern struct pri_type presto_type_count;
#define MPI_COUNT (&presto_type_count)
extern struct pri_type presto_type_offset;
#define MPI_OFFSET (&presto_type_offset)
extern struct pri_type presto_type_c_bool;
#define MPI_C_BOOL (&presto_type_c_bool)
extern struct pri_type presto_type_c_complex;
#define MPI_C_COMPLEX (&presto_type_c_complex)
extern struct pri_type presto_type_c_float_complex;
#define MPI_C_FLOAT_COMPLEX (&presto_type_c_float_complex)
extern struct pri_type presto_type_c_double_complex;
#define MPI_C_DOUBLE_COMPLEX (&presto_type_c_double_complex)
extern struct pri_type presto_type_c_long_double_complex;
#define MPI_C_LONG_DOUBLE_COMPLEX (&presto_type_c_long_double_complex)
extern struct pri_type presto_type_cxx_bool;
#define MPI_CXX_BOOL (&presto_type_cxx_bool)
extern struct pri_type presto_type_cxx_float_complex;
#define MPI_CXX_FLOAT_COMPLEX (&presto_type_cxx_float_complex)
extern struct pri_type presto_type_cxx_double_complex;
#define MPI_CXX_DOUBLE_COMPLEX (&presto_type_cxx_double_complex)
extern struct pri_type presto_type_cxx_long_double_complex;
#define MPI_CXX_LONG_DOUBLE_COMPLEX (&presto_type_cxx_long_double_complex)
extern struct pri_type presto_type_integer;
#define MPI_INTEGER (&presto_type_integer)
extern struct pri_type presto_type_integer1;
#define MPI_INTEGER1 (&presto_type_integer1)
extern struct pri_type presto_type_integer2;
#define MPI_INTEGER2 (&presto_type_integer2)
extern struct pri_type presto_type_integer4;
#define MPI_INTEGER4 (&presto_type_integer4)
extern struct pri_type presto_type_integer8;
#define MPI_INTEGER8 (&presto_type_integer8)
extern struct pri_type presto_type_integer16;
#define MPI_INTEGER16 (&presto_type_integer16)
extern struct pri_type presto_type_logical;
#define MPI_LOGICAL (&presto_type_logical)
extern struct pri_type presto_type_character;
#define MPI_CHARACTER (&presto_type_character)
extern struct pri_type presto_type_real;
#define MPI_REAL (&presto_type_real)
extern struct pri_type presto_type_real2;
#define MPI_REAL2 (&presto_type_real2)
extern struct pri_type presto_type_real4;
#define MPI_REAL4 (&presto_type_real4)
extern struct pri_type presto_type_real8;
#define MPI_REAL8 (&presto_type_real8)
extern struct pri_type presto_type_real16;
#define MPI_REAL16 (&presto_type_real16)
extern struct pri_type presto_type_double_precision;
#define MPI_DOUBLE_PRECISION (&presto_type_double_precision)
extern struct pri_type presto_type_complex;
#define MPI_COMPLEX (&presto_type_complex)
extern struct pri_type presto_type_complex4;
#define MPI_COMPLEX4 (&presto_type_complex4)
extern struct pri_type presto_type_complex8;
#define MPI_COMPLEX8 (&presto_type_complex8)
extern struct pri_type presto_type_complex16;
#define MPI_COMPLEX16 (&presto_type_complex16)
extern struct pri_type presto_type_complex32;
#define MPI_COMPLEX32 (&presto_type_complex32)
extern struct pri_type presto_type_double_complex;
#define MPI_DOUBLE_COMPLEX (&presto_type_double_complex)
extern struct pri_type presto_type_float_int;
#define MPI_FLOAT_INT (&presto_type_float_int)
extern struct pri_type presto_type_double_int;
#define MPI_DOUBLE_INT (&presto_type_double_int)
extern struct pri_type presto_type_long_int;
#define MPI_LONG_INT (&presto_type_long_int)
extern struct pri_type presto_type_2int;
#define MPI_2INT (&presto_type_2int)
extern struct pri_type presto_type_short_int;
#define MPI_SHORT_INT (&presto_type_short_int)
extern struct pri_type presto_type_long_double_int;
#define MPI_LONG_DOUBLE_INT (&presto_type_long_double_int)
extern struct pri_type presto_type_2real;
#define MPI_2REAL (&presto_type_2real)
extern struct pri_type presto_type_2double_precision;
#define MPI_2DOUBLE_PRECISION (&presto_type_2double_precision)
extern struct pri_type presto_type_2integer;
#define MPI_2INTEGER (&presto_type_2integer)
extern struct pri_type presto_type_lb;
#define MPI_LB (&presto_type_lb)
extern struct pri_type presto_type_ub;
#define MPI_UB            (&presto_type_ub)
#define MPI_LONG_LONG_INT MPI_LONG_LONG
#define MPI_CXX_COMPLEX   MPI_CXX_FLOAT_COMPLEX

#endif
