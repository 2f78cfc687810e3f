// The loops of kernels.c as OpenCL kernels: the iterations of the parallel loops are work-items.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define DATA global double *restrict a, global const double *restrict b, global const double *restrict c, \
             global const int *restrict place, int n

kernel void triad(DATA) {
  const int i = get_global_id(0);
  a[i] = b[i] + 3.0 * c[i];
}
// An item computes 8 columns of a row. The border of the matrix has no items.
kernel void jacobi(DATA) {
  const int i = get_global_id(1) + 1, at = i * n + 8 * get_global_id(0) + 1;
  vstore8(0.25 * (vload8(0, b + at - n) + vload8(0, b + at + n) + vload8(0, b + at - 1) + vload8(0, b + at + 1)), 0,
          a + at);
}
// An item computes 8 columns of 4 rows.
kernel void product(DATA) {
  const int j = 8 * get_global_id(0), i = 4 * get_global_id(1);
  double8 sum0 = vload8(0, a + i * n + j), sum1 = vload8(0, a + (i + 1) * n + j);
  double8 sum2 = vload8(0, a + (i + 2) * n + j), sum3 = vload8(0, a + (i + 3) * n + j);
  for (int k = 0; k < n; ++k) {
    const double8 row = vload8(0, c + k * n + j);
    sum0 += b[i * n + k] * row;
    sum1 += b[(i + 1) * n + k] * row;
    sum2 += b[(i + 2) * n + k] * row;
    sum3 += b[(i + 3) * n + k] * row;
  }
  vstore8(sum0, 0, a + i * n + j);
  vstore8(sum1, 0, a + (i + 1) * n + j);
  vstore8(sum2, 0, a + (i + 2) * n + j);
  vstore8(sum3, 0, a + (i + 3) * n + j);
}
kernel void matvec(DATA) {
  const int i = get_global_id(0);
  double8 sums = 0;
  for (int j = 0; j < n; j += 8) sums += vload8(0, b + i * n + j) * vload8(0, c + j);
  const double4 halves = sums.lo + sums.hi;
  a[i] = halves.x + halves.y + halves.z + halves.w;
}
kernel void lookup(DATA) {
  const int i = get_global_id(0);
  a[i] = b[place[i]] + c[i];
}
kernel void forces(DATA) {
  const int i = get_global_id(0);
  const double8 at = vload8(i, b);
  double8 force = 0;
  for (int j = 0; j < n; ++j) {
    const double8 distance = b[j] - at;
    force += c[j] * distance / (distance * distance + 0.01);
  }
  vstore8(force, i, a);
}
