! The same as two_ranks.c, through use mpi_f08.
program two_ranks
  use mpi_f08
  implicit none
  integer :: rank, one, total
  one = 1
  call MPI_Init()
  call MPI_Comm_rank(MPI_COMM_WORLD, rank)
  if (rank == 0) call MPI_Send(one, 1, MPI_INTEGER, 1, 0, MPI_COMM_WORLD)
  if (rank == 1) call MPI_Recv(one, 1, MPI_INTEGER, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE)
  call MPI_Allreduce(one, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD)
  call MPI_Finalize()
  if (total /= 2) stop 1
end program
