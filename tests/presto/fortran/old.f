C     SPDX-License-Identifier: BSD-3-Clause
C     As programs were when lines had columns: a ring, with the names
C     of MPI 1.
      PROGRAM OLD
      INCLUDE 'mpif.h'
      INTEGER IERR, ME, NP, REQ(2), STAT(MPI_STATUS_SIZE,2), ITYPE
      INTEGER LENS(2), DISPS(2), TYPES(2), LB, UB
      DOUBLE PRECISION X(4), Y(4), T
      CHARACTER*8 WORD
      CALL MPI_INIT(IERR)
      CALL MPI_COMM_RANK(MPI_COMM_WORLD, ME, IERR)
      CALL MPI_COMM_SIZE(MPI_COMM_WORLD, NP, IERR)
      T = MPI_WTIME()
      DO 10 I = 1, 4
         X(I) = ME
   10 CONTINUE
      LENS(1) = 1
      LENS(2) = 2
      DISPS(1) = 0
      DISPS(2) = 16
      TYPES(1) = MPI_DOUBLE_PRECISION
      TYPES(2) = MPI_DOUBLE_PRECISION
      CALL MPI_TYPE_STRUCT(2, LENS, DISPS, TYPES, ITYPE, IERR)
      CALL MPI_TYPE_COMMIT(ITYPE, IERR)
      CALL MPI_TYPE_LB(ITYPE, LB, IERR)
      CALL MPI_TYPE_UB(ITYPE, UB, IERR)
      Y(2) = -1
      CALL MPI_IRECV(Y, 1, ITYPE, MOD(ME+NP-1, NP), 1,
     &               MPI_COMM_WORLD, REQ(1), IERR)
      CALL MPI_ISEND(X, 1, ITYPE, MOD(ME+1, NP), 1,
     &               MPI_COMM_WORLD, REQ(2), IERR)
      CALL MPI_WAITALL(2, REQ, STAT, IERR)
      WORD = 'no'
      IF (ME .EQ. 0) WORD = 'yes'
      CALL MPI_BCAST(WORD, 8, MPI_CHARACTER, 0, MPI_COMM_WORLD, IERR)
      IF (Y(1) .NE. MOD(ME+NP-1, NP) .OR. Y(4) .NE. Y(1) .OR.
     &    Y(2) .NE. -1 .OR. LB .NE. 0 .OR. UB .NE. 32 .OR.
     &    WORD .NE. 'yes' .OR. MPI_WTIME() .LT. T) THEN
         CALL MPI_ABORT(MPI_COMM_WORLD, 1, IERR)
      END IF
      CALL MPI_TYPE_FREE(ITYPE, IERR)
      CALL MPI_FINALIZE(IERR)
      IF (ME .EQ. 0) PRINT *, 'MT-OK old checks=7'
      END
