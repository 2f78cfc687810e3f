! The same calls through each Fortran binding: BINDING_H (mpif.h), BINDING_MPI (use mpi), BINDING_F08
! (use mpi_f08). The bindings translate choice buffers, MPI_IN_PLACE, ignored statuses and handles.
#if defined(BINDING_F08)
#define REQUEST type(MPI_Request)
#define COMM type(MPI_Comm)
#define DATATYPE type(MPI_Datatype)
#define STATUS(s) type(MPI_Status) :: s
#define SOURCE_OF(s) s%MPI_SOURCE
#else
#define REQUEST integer
#define COMM integer
#define DATATYPE integer
#define STATUS(s) integer :: s(MPI_STATUS_SIZE)
#define SOURCE_OF(s) s(MPI_SOURCE)
#endif

module expectations
  use iso_c_binding
  implicit none
  interface
    subroutine expect_call(op, comm, sent, received) bind(C)
      import
      character(kind=c_char), intent(in) :: op(*)
      integer(c_int), value :: comm
      integer(c_long_long), value :: sent, received
    end subroutine
    subroutine expect_sent(peer, bytes) bind(C)
      import
      integer(c_int), value :: peer
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine expect_received(peer, bytes) bind(C)
      import
      integer(c_int), value :: peer
      integer(c_long_long), value :: bytes
    end subroutine
    subroutine expect_write(rank) bind(C)
      import
      integer(c_int), value :: rank
    end subroutine
  end interface
contains
  subroutine called(op, comm, sent, received)
    character(*), intent(in) :: op
    integer, intent(in) :: comm, sent, received
    call expect_call(op // c_null_char, comm, int(sent, c_long_long), int(received, c_long_long))
  end subroutine
  subroutine message_to(peer, bytes)
    integer, intent(in) :: peer, bytes
    call expect_sent(peer, int(bytes, c_long_long))
  end subroutine
  subroutine message_from(peer, bytes)
    integer, intent(in) :: peer, bytes
    call expect_received(peer, int(bytes, c_long_long))
  end subroutine
end module

program fortran
#if defined(BINDING_F08)
  use mpi_f08
#elif defined(BINDING_MPI)
  use mpi
#endif
  use expectations
  implicit none
#if defined(BINDING_H)
  include 'mpif.h'
#endif
  integer :: rank, ranks, right, left, ierr, i
  integer :: out(256), in(256), counts(16), displs(16), byte_displs(16)
  REQUEST :: requests(4)
  DATATYPE :: types(16)

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  right = mod(rank + 1, ranks)
  left = mod(rank + ranks - 1, ranks)
  out = rank
  call point_to_point
#if !defined(ON_SMPI)
  call no_requests  ! SMPI's own bindings crash in it
#endif
  call persistent
  call collectives
  call vectors
  call communicators
  call absolute_addresses
  call MPI_Finalize(ierr)
  call expect_write(rank)

contains

  subroutine point_to_point
    STATUS(stat)
    logical :: flag
    integer :: indx
    call MPI_Irecv(in, 10, MPI_INTEGER, left, 1, MPI_COMM_WORLD, requests(1), ierr)
    call called('MPI_Irecv', ranks, 0, 0)
    call MPI_Isend(out, 8, MPI_INTEGER, right, 1, MPI_COMM_WORLD, requests(2), ierr)
    call called('MPI_Isend', ranks, 32, 0)
    call MPI_Waitall(2, requests, MPI_STATUSES_IGNORE, ierr)
    call called('MPI_Waitall', ranks, 0, 32)
    call message_to(right, 32)
    call message_from(left, 32)

    call MPI_Irecv(in, 10, MPI_INTEGER, MPI_ANY_SOURCE, 2, MPI_COMM_WORLD, requests(1), ierr)
    call called('MPI_Irecv', ranks, 0, 0)
    call MPI_Send(out, 3, MPI_INTEGER, right, 2, MPI_COMM_WORLD, ierr)
    call called('MPI_Send', ranks, 12, 0)
    call MPI_Waitany(1, requests, indx, stat, ierr)
    call called('MPI_Waitany', ranks, 0, 12)
    call message_to(right, 12)
    call message_from(left, 12)
    if (SOURCE_OF(stat) /= left) error stop 3

    call MPI_Irecv(in, 10, MPI_INTEGER, left, 3, MPI_COMM_WORLD, requests(1), ierr)
    call called('MPI_Irecv', ranks, 0, 0)
    call MPI_Send(out, 4, MPI_INTEGER, right, 3, MPI_COMM_WORLD, ierr)
    call called('MPI_Send', ranks, 16, 0)
    flag = .false.
    do while (.not. flag)
      call MPI_Test(requests(1), flag, MPI_STATUS_IGNORE, ierr)
      if (flag) call called('MPI_Test', ranks, 0, 16)
      if (.not. flag) call called('MPI_Test', 0, 0, 0)
    end do
    call message_to(right, 16)
    call message_from(left, 16)

    call MPI_Sendrecv(out, 5, MPI_INTEGER, right, 4, in, 20, MPI_INTEGER, left, 4, MPI_COMM_WORLD, &
                      MPI_STATUS_IGNORE, ierr)
    call called('MPI_Sendrecv', ranks, 20, 20)
    call message_to(right, 20)
    call message_from(left, 20)
    call MPI_Send(out, 5, MPI_INTEGER, MPI_PROC_NULL, 4, MPI_COMM_WORLD, ierr)
    call called('MPI_Send', ranks, 0, 0)
  end subroutine

  ! Completion calls for an empty list of requests are calls, too.
  subroutine no_requests
    STATUS(stat)
    logical :: flag
    integer :: indx, outcount, indices(1), turn
    do turn = 1, 3
      call MPI_Waitall(0, requests, MPI_STATUSES_IGNORE, ierr)
      call called('MPI_Waitall', 0, 0, 0)
      call MPI_Waitany(0, requests, indx, stat, ierr)
      call called('MPI_Waitany', 0, 0, 0)
      call MPI_Waitsome(0, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
      call called('MPI_Waitsome', 0, 0, 0)
      call MPI_Testall(0, requests, flag, MPI_STATUSES_IGNORE, ierr)
      call called('MPI_Testall', 0, 0, 0)
      call MPI_Testany(0, requests, indx, flag, stat, ierr)
      call called('MPI_Testany', 0, 0, 0)
      call MPI_Testsome(0, requests, outcount, indices, MPI_STATUSES_IGNORE, ierr)
      call called('MPI_Testsome', 0, 0, 0)
      if (ierr /= MPI_SUCCESS) error stop 6
    end do
    call MPI_Startall(0, requests, ierr)
    call called('MPI_Startall', 0, 0, 0)
  end subroutine

  subroutine persistent
    integer :: turn
    call MPI_Recv_init(in, 10, MPI_INTEGER, left, 5, MPI_COMM_WORLD, requests(1), ierr)
    call called('MPI_Recv_init', ranks, 0, 0)
    call MPI_Send_init(out, 6, MPI_INTEGER, right, 5, MPI_COMM_WORLD, requests(2), ierr)
    call called('MPI_Send_init', ranks, 0, 0)
    do turn = 1, 3
      call MPI_Startall(2, requests, ierr)
      call called('MPI_Startall', ranks, 24, 0)
      call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
      call called('MPI_Wait', ranks, 0, 24)
      call MPI_Wait(requests(2), MPI_STATUS_IGNORE, ierr)
      call called('MPI_Wait', ranks, 0, 0)
      call message_to(right, 24)
      call message_from(left, 24)
    end do
    do turn = 1, 2
      call MPI_Request_free(requests(turn), ierr)
      call called('MPI_Request_free', 0, 0, 0)
    end do
  end subroutine

  subroutine collectives
    integer :: is_root, is_leaf
    is_root = merge(1, 0, rank == 1)
    is_leaf = 1 - is_root
    call MPI_Barrier(MPI_COMM_WORLD, ierr)
    call called('MPI_Barrier', ranks, 0, 0)
    call MPI_Bcast(out, 7, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    call called('MPI_Bcast', ranks, 28 * is_root, 28 * is_leaf)
    call MPI_Reduce(out, in, 7, MPI_INTEGER, MPI_SUM, 1, MPI_COMM_WORLD, ierr)
    call called('MPI_Reduce', ranks, 28, 28 * is_root)
    call MPI_Allreduce(MPI_IN_PLACE, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierr)
    call called('MPI_Allreduce', ranks, 28, 28)
    call MPI_Iallreduce(out, in, 7, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, requests(1), ierr)
    call called('MPI_Iallreduce', ranks, 28, 28)
    call MPI_Wait(requests(1), MPI_STATUS_IGNORE, ierr)
    call called('MPI_Wait', ranks, 0, 0)
    call MPI_Allgather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 3, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call called('MPI_Allgather', ranks, 12, 12 * ranks)
    call MPI_Alltoall(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call called('MPI_Alltoall', ranks, 8 * ranks, 8 * ranks)
    if (is_root == 1) then
      call MPI_Gather(MPI_IN_PLACE, 0, MPI_INTEGER, in, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    else
      call MPI_Gather(out, 2, MPI_INTEGER, in, 2, MPI_INTEGER, 1, MPI_COMM_WORLD, ierr)
    end if
    call called('MPI_Gather', ranks, 8, 8 * ranks * is_root)
  end subroutine

  subroutine vectors
    integer :: total
    total = 0
    do i = 1, ranks
      counts(i) = i
      displs(i) = 16 * (i - 1)
      byte_displs(i) = 64 * (i - 1)
      types(i) = MPI_INTEGER
      total = total + 4 * i
    end do
    call MPI_Allgatherv(out, rank + 1, MPI_INTEGER, in, counts, displs, MPI_INTEGER, MPI_COMM_WORLD, ierr)
    call called('MPI_Allgatherv', ranks, 4 * (rank + 1), total)
    counts = 2
    call MPI_Alltoallv(out, counts, displs, MPI_INTEGER, in, counts, displs, MPI_INTEGER, &
                       MPI_COMM_WORLD, ierr)
    call called('MPI_Alltoallv', ranks, 8 * ranks, 8 * ranks)
    call MPI_Alltoallw(out, counts, byte_displs, types, in, counts, byte_displs, types, &
                       MPI_COMM_WORLD, ierr)
    call called('MPI_Alltoallw', ranks, 8 * ranks, 8 * ranks)
  end subroutine

  subroutine communicators
    COMM :: reversed
    DATATYPE :: column
    integer :: there, dest, source
    call MPI_Comm_split(MPI_COMM_WORLD, 0, ranks - rank, reversed, ierr)
    call MPI_Comm_rank(reversed, there, ierr)
    call MPI_Type_vector(5, 1, 8, MPI_INTEGER, column, ierr)
    call MPI_Type_commit(column, ierr)
    dest = mod(there + 1, ranks)
    source = mod(there + ranks - 1, ranks)
    call MPI_Sendrecv(out, 1, column, dest, 6, in, 1, column, source, 6, reversed, MPI_STATUS_IGNORE, ierr)
    call called('MPI_Sendrecv', ranks, 20, 20)
    call message_to(ranks - 1 - dest, 20)
    call message_from(ranks - 1 - source, 20)
    call MPI_Type_free(column, ierr)
    call MPI_Comm_free(reversed, ierr)
  end subroutine

  ! Fortran's MPI_BOTTOM is a variable; the binding recognises it by its address.
  subroutine absolute_addresses
    integer(kind=MPI_ADDRESS_KIND) :: places(2)
    integer :: lengths(2) = [3, 2]
    DATATYPE :: sent, received
    call MPI_Get_address(out(1), places(1), ierr)
    call MPI_Get_address(out(101), places(2), ierr)
    call MPI_Type_create_hindexed(2, lengths, places, MPI_INTEGER, sent, ierr)
    call MPI_Type_commit(sent, ierr)
    call MPI_Get_address(in(1), places(1), ierr)
    call MPI_Get_address(in(101), places(2), ierr)
    call MPI_Type_create_hindexed(2, lengths, places, MPI_INTEGER, received, ierr)
    call MPI_Type_commit(received, ierr)
    out = rank
    in = -1
    call MPI_Sendrecv(MPI_BOTTOM, 1, sent, right, 7, MPI_BOTTOM, 1, received, left, 7, &
                      MPI_COMM_WORLD, MPI_STATUS_IGNORE, ierr)
    call called('MPI_Sendrecv', ranks, 20, 20)
    call message_to(right, 20)
    call message_from(left, 20)
    if (in(1) /= left .or. in(102) /= left .or. in(4) /= -1) error stop 4
    call MPI_Type_free(sent, ierr)
    call MPI_Type_free(received, ierr)
  end subroutine
end program
