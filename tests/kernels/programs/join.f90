! A module procedure with a parallel region and a procedure inside it, an external procedure, and a main program.
module field
contains
  subroutine work(a, n)
    integer :: n, i
    real(8) :: a(n)
!$omp parallel do
    do i = 1, n
      a(i) = a(i) * 0.5d0 + 1d0
    end do
    call smooth(a, n)
  contains
    subroutine smooth(b, m)
      integer :: m, i
      real(8) :: b(m)
      do i = 2, m
        b(i) = b(i) * 0.5d0 + b(i - 1) * 0.25d0
      end do
    end subroutine
  end subroutine
end module

subroutine damp(a, n)
  integer :: n, i
  real(8) :: a(n)
  do i = 1, n
    a(i) = a(i) / 1.25d0
  end do
end subroutine

program join
  use field
  integer, parameter :: n = 60000
  real(8) :: a(n), total
  integer :: r, i, rounds, error
  character(16) :: word
  include 'mpif.h'
  call MPI_Init(error)
  call get_command_argument(1, word)
  read (word, *) rounds
  a = 1
  total = 0
  do r = 1, rounds
    call work(a, n)
    call damp(a, n)
    do i = 1, n
      total = total + a(i) * 3d0
    end do
  end do
  print *, total > 0
  call MPI_Finalize(error)
end program
