// The loops of kernels.c as OpenCL kernels: the iterations of the parallel loops are work-items.
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
#define DATA global double *restrict a, global const double *restrict b, global const double *restrict c, \
             global const int *restrict place, int n

kernel void triad(DATA) {
  const int i = get_global_id(0);
  a[i] = b[i] + 3.0 * c[i];
}
kernel void jacobi(DATA) {
  const int j = get_global_id(0), i = get_global_id(1);
  if (i > 0 && i < n - 1 && j > 0 && j < n - 1)
    a[i * n + j] = 0.25 * (b[(i - 1) * n + j] + b[(i + 1) * n + j] + b[i * n + j - 1] + b[i * n + j + 1]);
}
kernel void product(DATA) {
  const int j = 8 * get_global_id(0), i = get_global_id(1);
  double8 sum = vload8(0, a + i * n + j);
  for (int k = 0; k < n; ++k) sum += b[i * n + k] * vload8(0, c + k * n + j);
  vstore8(sum, 0, a + i * n + j);
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
