! transpose: 2-D Fourier transforms of a square array whose lines are distributed among the ranks.
!
! Each iteration transforms the array, shifts it by a factor in Fourier space, and transforms it
! back. A 2-D transform consists of a transform of every line, a transposition by MPI_Alltoall, and
! another transform of every line. The shift is by whole points, so after any number of iterations
! the array is the initial array moved by a known distance, and is checked point by point.

module transpose_kernels
  implicit none
  integer, parameter :: dp = kind(1.0d0)
  integer, parameter :: i8 = selected_int_kind(18)
  integer, parameter :: shift_x = 1, shift_y = 3

contains

  ! Sets roots(k) = exp(-2 pi i k / n), and order to the numbers 0 .. n-1 with their bits reversed.
  subroutine make_tables(n, roots, order)
    integer, intent(in) :: n
    complex(dp), intent(out) :: roots(0:n-1)
    integer, intent(out) :: order(0:n-1)
    real(dp) :: angle
    integer :: k, half
    do k = 0, n - 1
      angle = -2.0_dp * acos(-1.0_dp) * real(k, dp) / real(n, dp)
      roots(k) = cmplx(cos(angle), sin(angle), dp)
    end do
    order(0) = 0
    half = n / 2
    k = 1
    do while (k < n)
      order(k:2*k-1) = order(0:k-1) + half
      half = half / 2
      k = 2 * k
    end do
  end subroutine make_tables

  ! Transforms one line in place, without scaling; `back` selects the inverse transform.
  subroutine fft_line(n, line, roots, order, back)
    integer, intent(in) :: n
    complex(dp), intent(inout) :: line(0:n-1)
    complex(dp), intent(in) :: roots(0:n-1)
    integer, intent(in) :: order(0:n-1)
    logical, intent(in) :: back
    complex(dp) :: w, t
    integer :: k, half, first, step
    do k = 0, n - 1
      if (order(k) > k) then
        t = line(k)
        line(k) = line(order(k))
        line(order(k)) = t
      end if
    end do
    half = 1
    do while (half < n)
      step = n / (2 * half)
      do first = 0, n - 1, 2 * half
        do k = 0, half - 1
          w = roots(k * step)
          if (back) w = conjg(w)
          t = w * line(first + k + half)
          line(first + k + half) = line(first + k) - t
          line(first + k) = line(first + k) + t
        end do
      end do
      half = 2 * half
    end do
  end subroutine fft_line

  subroutine fft_lines(n, lines, a, roots, order, back)
    integer, intent(in) :: n, lines
    complex(dp), intent(inout) :: a(0:n-1, 0:lines-1)
    complex(dp), intent(in) :: roots(0:n-1)
    integer, intent(in) :: order(0:n-1)
    logical, intent(in) :: back
    integer :: j
    do j = 0, lines - 1
      call fft_line(n, a(:, j), roots, order, back)
    end do
  end subroutine fft_lines

  ! Transposes the lines, so that the points for each rank are contiguous.
  subroutine pack_blocks(n, lines, a, blocks)
    integer, intent(in) :: n, lines
    complex(dp), intent(in) :: a(0:n-1, 0:lines-1)
    complex(dp), intent(out) :: blocks(0:lines-1, 0:n-1)
    integer :: i, j
    do j = 0, lines - 1
      do i = 0, n - 1
        blocks(j, i) = a(i, j)
      end do
    end do
  end subroutine pack_blocks

  ! Joins the received blocks into lines. The indices of `blocks` are point, line, sending rank.
  subroutine unpack_blocks(n, lines, blocks, a)
    integer, intent(in) :: n, lines
    complex(dp), intent(in) :: blocks(0:lines-1, 0:lines-1, 0:n/lines-1)
    complex(dp), intent(out) :: a(0:n-1, 0:lines-1)
    integer :: i, j, r
    do r = 0, n / lines - 1
      do j = 0, lines - 1
        do i = 0, lines - 1
          a(r * lines + i, j) = blocks(i, j, r)
        end do
      end do
    end do
  end subroutine unpack_blocks

  ! Shifts the array, which in Fourier space means multiplying each point by a factor. The lines are
  ! along y there. The factor includes the scaling for a transform and its inverse.
  subroutine apply_shift(n, lines, first_line, a, roots)
    integer, intent(in) :: n, lines, first_line
    complex(dp), intent(inout) :: a(0:n-1, 0:lines-1)
    complex(dp), intent(in) :: roots(0:n-1)
    real(dp) :: scaling
    integer :: i, j, from_x
    scaling = 1.0_dp / (real(n, dp) * real(n, dp))
    do j = 0, lines - 1
      from_x = shift_x * (first_line + j)
      do i = 0, n - 1
        a(i, j) = a(i, j) * roots(mod(from_x + shift_y * i, n)) * scaling
      end do
    end do
  end subroutine apply_shift

  ! The initial array at point x, y: a pseudo-random number between 0 and 1.
  pure real(dp) function start_value(x, y)
    integer, intent(in) :: x, y
    integer(i8) :: h
    h = mod(int(x, i8) * 48271_i8 + int(y, i8) * 69621_i8 + 12345_i8, 2147483647_i8)
    h = mod(h * h + int(x, i8), 2147483647_i8)
    h = mod(h * 48271_i8, 2147483647_i8)
    start_value = real(h, dp) / 2147483647.0_dp
  end function start_value

  subroutine set_start(n, lines, first_line, a)
    integer, intent(in) :: n, lines, first_line
    complex(dp), intent(out) :: a(0:n-1, 0:lines-1)
    integer :: i, j
    do j = 0, lines - 1
      do i = 0, n - 1
        a(i, j) = cmplx(start_value(i, first_line + j), 0.0_dp, dp)
      end do
    end do
  end subroutine set_start

  ! Returns the largest deviation from the exact array after the given iterations, and a checksum.
  ! The checksum does not depend on the number of ranks, because every point has the same bits with
  ! any number of ranks, and whole numbers below 2**53 have the same sum in any order.
  subroutine examine(n, lines, first_line, a, iterations, largest, checksum)
    integer, intent(in) :: n, lines, first_line, iterations
    complex(dp), intent(in) :: a(0:n-1, 0:lines-1)
    real(dp), intent(out) :: largest
    real(dp), intent(out) :: checksum
    real(dp) :: off
    integer :: i, j, x, y
    largest = 0.0_dp
    checksum = 0.0_dp
    do j = 0, lines - 1
      y = int(modulo(int(first_line + j, i8) - int(shift_y, i8) * iterations, int(n, i8)))
      do i = 0, n - 1
        x = int(modulo(int(i, i8) - int(shift_x, i8) * iterations, int(n, i8)))
        off = abs(a(i, j) - start_value(x, y))
        if (.not. off <= largest) largest = merge(off, huge(off), off <= huge(off))
        checksum = checksum + anint(real(a(i, j), dp) * 65536.0_dp) * &
          real(mod(i + 31 * (first_line + j), 127) + 1, dp)
      end do
    end do
  end subroutine examine
end module transpose_kernels

module transpose_arguments
  use mpi
  use, intrinsic :: iso_fortran_env, only: error_unit, output_unit
  implicit none
  integer, parameter :: default_points = 1024, default_iterations = 30
  integer, parameter :: max_points = 16384, max_iterations = 100000

contains

  subroutine print_usage(unit)
    integer, intent(in) :: unit
    write (unit, '(a)') 'usage: transpose [points [iterations]]'
    write (unit, '(a, i0, a, i0, a)') &
      '  points      points along each side, a power of two from 1 to ', max_points, ' (default ', &
      default_points, ')'
    write (unit, '(a, i0, a, i0, a)') '  iterations  transforms there and back, 1 to ', &
      max_iterations, ' (default ', default_iterations, ')'
  end subroutine print_usage

  ! Ends the program. All ranks call this, with the same status.
  subroutine leave(status)
    integer, intent(in) :: status
    integer :: ierr
    flush (output_unit)
    flush (error_unit)
    call MPI_Finalize(ierr)
    call exit(status)
  end subroutine leave

  ! Argument `position` as a number from 1 to `most`, or `otherwise` if the argument is not given.
  integer function count_argument(position, what, most, otherwise, rank)
    integer, intent(in) :: position, most, otherwise, rank
    character(len=*), intent(in) :: what
    character(len=64) :: text
    integer :: length, status
    count_argument = otherwise
    if (command_argument_count() < position) return
    call get_command_argument(position, text, length)
    status = 1
    if (length > 0 .and. length < 10 .and. verify(trim(text), '0123456789') == 0) &
      read (text, *, iostat=status) count_argument
    if (status == 0 .and. count_argument >= 1 .and. count_argument <= most) return
    if (rank == 0) then
      write (error_unit, '(5a, i0)') "transpose: '", trim(text), "' is not a number of ", what, &
        ' from 1 to ', most
      call print_usage(error_unit)
    end if
    call leave(2)
  end function count_argument

  subroutine read_arguments(rank, ranks, points, iterations)
    integer, intent(in) :: rank, ranks
    integer, intent(out) :: points, iterations
    character(len=8) :: first
    if (command_argument_count() > 0) then
      call get_command_argument(1, first)
      if (first == '--help' .or. first == '-h') then
        if (rank == 0) call print_usage(output_unit)
        call leave(0)
      end if
    end if
    if (command_argument_count() > 2) then
      if (rank == 0) then
        write (error_unit, '(a, i0)') 'transpose: at most two arguments, not ', &
          command_argument_count()
        call print_usage(error_unit)
      end if
      call leave(2)
    end if
    points = count_argument(1, 'points', max_points, default_points, rank)
    iterations = count_argument(2, 'iterations', max_iterations, default_iterations, rank)
    if (iand(points, points - 1) /= 0) then
      if (rank == 0) write (error_unit, '(a, i0, a)') &
        'transpose: the number of points must be a power of two, and ', points, ' is not'
      call leave(2)
    end if
    if (mod(points, ranks) /= 0) then
      if (rank == 0) write (error_unit, '(a, i0, a, i0, a)') &
        'transpose: the number of ranks must divide the ', points, ' points, and ', ranks, &
        ' does not'
      call leave(2)
    end if
  end subroutine read_arguments
end module transpose_arguments

program transpose_example
  use mpi
  use transpose_kernels
  use transpose_arguments
  implicit none
  real(dp), parameter :: tolerance = 1.0e-9_dp
  complex(dp), allocatable :: a(:, :), b(:, :), outgoing(:), incoming(:), roots(:)
  integer, allocatable :: order(:)
  real(dp) :: begin, seconds, mine, largest, my_sum, checksum
  character(len=16) :: time
  integer :: rank, ranks, ierr, n, iterations, lines, first_line, k, status

  call MPI_Init(ierr)
  call MPI_Comm_rank(MPI_COMM_WORLD, rank, ierr)
  call MPI_Comm_size(MPI_COMM_WORLD, ranks, ierr)
  call read_arguments(rank, ranks, n, iterations)
  lines = n / ranks
  first_line = rank * lines
  allocate (a(0:n-1, 0:lines-1), b(0:n-1, 0:lines-1), outgoing(n * lines), incoming(n * lines), &
            roots(0:n-1), order(0:n-1), stat=status)
  if (status /= 0) then
    write (error_unit, '(a)') 'transpose: no memory for the array'
    call MPI_Abort(MPI_COMM_WORLD, 1, ierr)
  end if
  call make_tables(n, roots, order)
  call set_start(n, lines, first_line, a)

  begin = MPI_Wtime()
  do k = 1, iterations
    call fft_lines(n, lines, a, roots, order, .false.)
    call transpose_lines(a, b)
    call fft_lines(n, lines, b, roots, order, .false.)
    call apply_shift(n, lines, first_line, b, roots)
    call fft_lines(n, lines, b, roots, order, .true.)
    call transpose_lines(b, a)
    call fft_lines(n, lines, a, roots, order, .true.)
  end do
  seconds = MPI_Wtime() - begin

  call examine(n, lines, first_line, a, iterations, mine, my_sum)
  call MPI_Allreduce(mine, largest, 1, MPI_DOUBLE_PRECISION, MPI_MAX, MPI_COMM_WORLD, ierr)
  call MPI_Allreduce(my_sum, checksum, 1, MPI_DOUBLE_PRECISION, MPI_SUM, MPI_COMM_WORLD, ierr)
  status = merge(0, 1, largest <= tolerance)
  if (rank == 0) then
    write (time, '(f16.3)') seconds
    write (output_unit, '(4(a, i0), 3a)') 'transpose: ', n, ' x ', n, ' points on ', ranks, &
      trim(merge(' rank,  ', ' ranks, ', ranks == 1)) // ' ', iterations, ' iterations, ', &
      trim(adjustl(time)), ' s'
    if (status == 0) then
      write (output_unit, '(3(a, i0))') 'ok transpose ', n, ' ', iterations, ' checksum ', &
        int(checksum, i8)
    else
      write (output_unit, '(a, es9.3, a, es7.1)') 'failed: a point is ', largest, &
        ' away from its exact value, more than ', tolerance
    end if
  end if
  deallocate (a, b, outgoing, incoming, roots, order)
  call leave(status)

contains

  subroutine transpose_lines(from, to)
    complex(dp), intent(in) :: from(0:n-1, 0:lines-1)
    complex(dp), intent(out) :: to(0:n-1, 0:lines-1)
    call pack_blocks(n, lines, from, outgoing)
    call MPI_Alltoall(outgoing, lines * lines, MPI_DOUBLE_COMPLEX, incoming, lines * lines, &
                      MPI_DOUBLE_COMPLEX, MPI_COMM_WORLD, ierr)
    call unpack_blocks(n, lines, incoming, to)
  end subroutine transpose_lines
end program transpose_example
