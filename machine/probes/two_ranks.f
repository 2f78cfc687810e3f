C     The same as two_ranks.c, through mpif.h.
      program two_ranks
      implicit none
      include 'mpif.h'
      integer rank, one, total, ierr
      one = 1
      call MPI_INIT(ierr)
      call MPI_COMM_RANK(MPI_COMM_WORLD, rank, ierr)
      if (rank .eq. 0) then
        call MPI_SEND(one, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD, ierr)
      end if
      if (rank .eq. 1) then
        call MPI_RECV(one, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD,
     &                MPI_STATUS_IGNORE, ierr)
      end if
      call MPI_ALLREDUCE(one, total, 1, MPI_INTEGER, MPI_SUM,
     &                   MPI_COMM_WORLD, ierr)
      call MPI_FINALIZE(ierr)
      if (total .ne. 2) stop 1
      end
