// Kernels whose counts, depth, barriers and footprint are known in closed form (opencl_test.py). Sizes are
// arguments, so that the compiler does not know them.
kernel void copy(global const float* a, global float* c) {
  const size_t i = get_global_id(0);
  c[i] = a[i];
}
kernel void triad(float s, global const float* a, global const float* b, global float* c) {
  const size_t i = get_global_id(0);
  c[i] = a[i] + s * b[i];
}
// One product per work-item, and a tree of sums per work-group.
kernel void dot_product(global const float* a, global const float* b, global float* c, local float* sums) {
  const uint i = get_local_id(0);
  sums[i] = a[get_global_id(0)] * b[get_global_id(0)];
  barrier(CLK_LOCAL_MEM_FENCE);
  for (uint half_size = get_local_size(0) / 2; half_size > 0; half_size /= 2) {
    if (i < half_size) sums[i] += sums[i + half_size];
    barrier(CLK_LOCAL_MEM_FENCE);
  }
  if (i == 0) c[get_group_id(0)] = sums[0];
}
kernel void stencil5(int n, global const float* a, global float* c) {
  const int i = get_global_id(1), j = get_global_id(0);
  if (i == 0 || j == 0 || i == n - 1 || j == n - 1) return;
  c[i * n + j] = a[i * n + j] + a[i * n + j - 1] + a[i * n + j + 1] + a[(i - 1) * n + j] + a[(i + 1) * n + j];
}
kernel void transpose(int n, global const float* a, global float* c, local float* tile) {
  const int i = get_global_id(1), j = get_global_id(0), x = get_local_id(0), y = get_local_id(1);
  const int size = get_local_size(0);
  tile[y * size + x] = a[i * n + j];
  barrier(CLK_LOCAL_MEM_FENCE);
  c[(j - x + y) * n + i - y + x] = tile[x * size + y];
}
kernel void gather(global const int* index, global const float* a, global float* c) {
  const size_t i = get_global_id(0);
  c[i] = a[index[i]];
}
kernel void scatter(global const int* index, global const float* a, global float* c) {
  const size_t i = get_global_id(0);
  c[index[i]] = a[i];
}
kernel void histogram(global const int* index, global int* count) {
  atomic_inc(&count[index[get_global_id(0)] % 16]);
}
kernel void product(int n, global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(1), j = get_global_id(0);
  float sum = 0;
  for (int k = 0; k < n; ++k) sum += a[i * n + k] * b[k * n + j];
  c[i * n + j] = sum;
}
kernel void matrix_vector(int n, global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int j = 0; j < n; ++j) sum += a[i * n + j] * b[j];
  c[i] = sum;
}
// Five elements per row.
kernel void sparse(global const int* index, global const float* a, global const float* b, global float* c) {
  const int i = get_global_id(0);
  float sum = 0;
  for (int k = 5 * i; k < 5 * i + 5; ++k) sum += a[k] * b[index[k]];
  c[i] = sum;
}
kernel void prefix_sum(int n, global float* c) {
  for (int i = 1; i < n; ++i) c[i] += c[i - 1];
}
kernel void bitonic(global float* c) {
  const uint i = get_local_id(0);
  for (uint k = 2; k <= get_local_size(0); k *= 2)
    for (uint j = k / 2; j > 0; j /= 2) {
      const uint other = i ^ j;
      if (other > i) {
        const float low = c[i], high = c[other];
        const bool is_kept = (low < high) == ((i & k) == 0);
        c[i] = is_kept ? low : high;
        c[other] = is_kept ? high : low;
      }
      barrier(CLK_GLOBAL_MEM_FENCE);
    }
}
kernel void wavefront(int n, global float* c) {
  const int j = get_local_id(0) + 1;
  for (int diagonal = 2; diagonal < 2 * n - 1; ++diagonal) {
    const int i = diagonal - j;
    if (i > 0 && i < n) c[i * n + j] = c[(i - 1) * n + j] + c[i * n + j - 1];
    barrier(CLK_GLOBAL_MEM_FENCE);
  }
}
kernel void chase(int steps, global const int* index, global float* c) {
  int at = 0;
  for (int i = 0; i < steps; ++i) at = index[at];
  *c = at;
}

// Features that OpenCL has and C lacks.
kernel void vectors(global const float* a, global float* c) {
  const size_t i = get_global_id(0);
  vstore4(fma(vload4(i, a), (float4)(2), sqrt(vload4(i, a))), i, c);
}
kernel void private_array(int n, global const int* index, global float* c) {
  float values[16];
  for (int i = 0; i < 16; ++i) values[index[i] % 16] = i;
  barrier(CLK_LOCAL_MEM_FENCE);
  c[get_global_id(0)] = values[n];
}
__attribute__((noinline)) float square(global const float* a, size_t i) {
  barrier(CLK_GLOBAL_MEM_FENCE);
  return a[i] * a[i];
}
kernel void calls(global const float* a, global float* c) {
  const size_t i = get_global_id(0);
  c[i] = square(a, i) + square(c, i);
}
kernel void says(global float* c) {
  printf("%d\n", (int)get_global_id(0));
  c[0] = 1;
}
kernel void undescribed(global float* c) {
  float cosine;
  c[0] = sincos(c[0], &cosine);
  c[1] = cosine;
}
