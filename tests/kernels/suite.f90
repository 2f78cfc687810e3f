! Ten of the kernels of suite.c in Fortran (suite_test.py).
module kernels
  implicit none
contains
  subroutine copy(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n)
    integer :: i
    do i = 1, n
      b(i) = a(i)
    end do
  end subroutine
  subroutine triad(n, s, a, b, c)
    integer, intent(in) :: n
    real(8), value :: s
    real(8), intent(in) :: a(n), b(n)
    real(8), intent(out) :: c(n)
    integer :: i
    do i = 1, n
      c(i) = a(i) + s * b(i)
    end do
  end subroutine
  subroutine dot(n, a, b, total)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n), b(n)
    real(8), intent(out) :: total
    real(8) :: s
    integer :: i
    s = 0
    do i = 1, n
      s = s + a(i) * b(i)
    end do
    total = s
  end subroutine
  subroutine transposed(n, a, b)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n)
    real(8), intent(out) :: b(n, n)
    integer :: i, j
    do j = 1, n
      do i = 1, n
        b(j, i) = a(i, j)
      end do
    end do
  end subroutine
  subroutine gather(n, index, a, b)
    integer, intent(in) :: n, index(n)
    real(8), intent(in) :: a(n)
    real(8), intent(out) :: b(n)
    integer :: i
    do i = 1, n
      b(i) = a(index(i))
    end do
  end subroutine
  subroutine product_ijk(n, a, b, c)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), b(n, n)
    real(8), intent(out) :: c(n, n)
    real(8) :: s
    integer :: i, j, k
    do j = 1, n
      do i = 1, n
        s = 0
        do k = 1, n
          s = s + a(i, k) * b(k, j)
        end do
        c(i, j) = s
      end do
    end do
  end subroutine
  subroutine matrix_vector(n, a, x, y)
    integer, intent(in) :: n
    real(8), intent(in) :: a(n, n), x(n)
    real(8), intent(out) :: y(n)
    real(8) :: s
    integer :: i, j
    do i = 1, n
      s = 0
      do j = 1, n
        s = s + a(i, j) * x(j)
      end do
      y(i) = s
    end do
  end subroutine
  subroutine prefix_sum(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n
      a(i) = a(i) + a(i - 1)
    end do
  end subroutine
  subroutine gauss_seidel(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n)
    integer :: i
    do i = 2, n - 1
      a(i) = 0.5d0 * (a(i - 1) + a(i + 1))
    end do
  end subroutine
  subroutine wavefront(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 2, n
      do i = 2, n
        a(i, j) = a(i - 1, j) + a(i, j - 1)
      end do
    end do
  end subroutine
  subroutine figure6(n, a)
    integer, intent(in) :: n
    real(8), intent(inout) :: a(n, n)
    integer :: i, j
    do j = 2, n
      do i = 2, n
        a(i, j) = a(i, j - 1) + 2
      end do
    end do
  end subroutine
end module

program suite
  use kernels
  implicit none
  integer, parameter :: elements = 16384
  real(8) :: a(elements), b(elements), c(elements), total
  integer :: index(elements), i, n, m
  character(len=16) :: word
  call get_command_argument(1, word)
  read (word, *) n
  call get_command_argument(2, word)
  read (word, *) m
  do i = 1, elements
    a(i) = 1 + mod(i, 7) * 0.125d0
    b(i) = 2 - mod(i, 5) * 0.25d0
    c(i) = 0
    index(i) = mod(i * 5 + 3, n) + 1
  end do
  call copy(n, a, c)
  call triad(n, 3d0, a, b, c)
  call dot(n, a, b, total)
  call transposed(m, a, c)
  call gather(n, index, a, c)
  call product_ijk(m, a, b, c)
  call matrix_vector(m, a, b, c)
  call prefix_sum(n, b)
  call gauss_seidel(n, a)
  call wavefront(m, a)
  call figure6(m, a)
  do i = 1, elements
    total = total + a(i) * mod(i, 3) + b(i) * mod(i, 5) + c(i) * mod(i, 11)
  end do
  print '(Z16)', transfer(total, 1_8)
end program
