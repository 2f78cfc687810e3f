! Every rank reads the three lines of the same file (the program's argument) on the same unit, with messages in
! between, and must see the lines in order. Every rank also writes a file of its own, and the first one writes the value
! of TMPDIR. The ranks finish one after the other, and end with `stop`.
program same_file
  implicit none
  include 'mpif.h'
  integer :: ierror, rank, ranks, line, number, total
  character(len=64) :: name, argument
  character(len=256) :: folder
  integer :: i
  call get_command_argument(1, argument)
  call MPI_Init(ierror)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierror)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierror)
  open(unit=10, file=trim(argument), status='old', action='read')
  write(name, '(a,i0,a)') 'rank', rank, '.txt'
  open(unit=11, file=name, status='replace', action='write')
  if (rank == 0) then
    call get_environment_variable('TMPDIR', folder)
    open(unit=12, file='tmpdir.txt', status='replace', action='write')
    write(12, '(a)') trim(folder)
    close(12)
  end if
  do i = 1, 60000  ! takes so long that samples fall into the Fortran library
    write(name, '(i0,1x,f12.4)') i, sqrt(real(i))
  end do
  do line = 1, 3
    read(10, *) number
    if (number /= 10 * line) then
      write(*, *) 'rank', rank, 'read', number, 'in line', line
      call MPI_Abort(MPI_COMM_WORLD, 1, ierror)
    end if
    number = number + rank
    call MPI_Allreduce(number, total, 1, MPI_INTEGER, MPI_SUM, MPI_COMM_WORLD, ierror)
    write(11, '(i0,1x,i0)') rank, total
  end do
  close(10)
  close(11)
  do i = 1, 2000 * rank  ! so that the ranks finish one after the other
    write(name, '(i0,1x,f12.4)') i, sqrt(real(i))
  end do
  call MPI_Finalize(ierror)
  stop
end program same_file
