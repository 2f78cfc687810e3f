// The kernels that measure an accelerator. The text is compiled as OpenCL C and as CUDA: opencl.cpp
// and cuda.cpp put definitions of the words in capitals before the text. REAL is the type of an
// element, VECTOR is a vector of LANES elements, INDEX is a whole number as large as an element,
// and WORD has 64 bits.

// The number of elements that one group of work-items reads; kChunkElements in accelerator.h has
// the same value.
#define CHUNK 4096

#define TEN(OPERATION) \
  OPERATION(x0) OPERATION(x1) OPERATION(x2) OPERATION(x3) OPERATION(x4) \
  OPERATION(x5) OPERATION(x6) OPERATION(x7) OPERATION(x8) OPERATION(x9)
#define FUSE(x) x = x * a + b;
#define HALVES \
  x0 = x0 * a; x1 = x1 + b; x2 = x2 * a; x3 = x3 + b; x4 = x4 * a; \
  x5 = x5 + b; x6 = x6 * a; x7 = x7 + b; x8 = x8 * a; x9 = x9 + b;
// The chains start with different values, and their factors come from arguments, so the compiler
// can neither join chains nor leave any out. The factor is one, so that products stay in range.
#define CHAINS \
  const VECTOR a = (VECTOR)((REAL)one), b = (VECTOR)((REAL)one / 1048576); \
  VECTOR x0 = (VECTOR)((REAL)ITEM) + b, x1 = x0 + b, x2 = x1 + b, x3 = x2 + b, x4 = x3 + b, \
         x5 = x4 + b, x6 = x5 + b, x7 = x6 + b, x8 = x7 + b, x9 = x8 + b;
#define KEEP_CHAINS \
  STORE(x0 + x1 + x2 + x3 + x4 + x5 + x6 + x7 + x8 + x9, out + ITEM * LANES);

KERNEL void fused(GLOBAL REAL* out, WORD rounds, WORD one) {
  CHAINS
  for (WORD i = 0; i < rounds; ++i) {
    TEN(FUSE) TEN(FUSE) TEN(FUSE) TEN(FUSE)
  }
  KEEP_CHAINS
}

KERNEL void halves(GLOBAL REAL* out, WORD rounds, WORD one) {
  CHAINS
  for (WORD i = 0; i < rounds; ++i) {
    HALVES HALVES HALVES HALVES
  }
  KEEP_CHAINS
}

KERNEL void idle(GLOBAL REAL* m) {}

KERNEL void chase(GLOBAL REAL* m, GLOBAL REAL* out, WORD steps) {
  GLOBAL const INDEX* next = (GLOBAL const INDEX*)m;
  WORD at = 0;
  for (WORD i = 0; i < steps; ++i) at = next[at];
  out[0] = (REAL)at;
}

KERNEL void clear(GLOBAL REAL* m, WORD elements) {
  const WORD i = ITEM;
  if (i < elements) m[i] = 0;
}

// Writes the permutation of scattered() in idioms.cpp. The power of two with this many `bits` is the
// smallest that is not below n.
KERNEL void fill_index(GLOBAL REAL* m, WORD c, WORD n, WORD bits) {
  GLOBAL INDEX* to = (GLOBAL INDEX*)(m + c);
  WORD i = ITEM;
  if (i >= n) return;
  const WORD own = i, mask = ((WORD)1 << bits) - 1;
  do {
    for (int round = 0; round < 2; ++round) {
      i = (i * 0x9E3779B97F4A7C15ul) & mask;
      if (bits > 1) i ^= i >> ((bits + 1) / 2);
    }
    i = (i * 0xD1342543DE82EF95ul) & mask;
  } while (i >= n);
  to[own] = (INDEX)i;
}

KERNEL void stream(GLOBAL REAL* m, WORD b, WORD n) {
  const WORD i = ITEM;
  if (i < n) m[i] = m[i] + m[b + i];
}

KERNEL void stencil(GLOBAL REAL* m, WORD b, WORD n) {
  const WORD i = ITEM;
  if (i + 2 < n) m[i] = m[b + i] + m[b + i + 2];
}

KERNEL void gather(GLOBAL REAL* m, WORD b, WORD c, WORD n) {
  GLOBAL const INDEX* from = (GLOBAL const INDEX*)(m + c);
  const WORD i = ITEM;
  if (i < n) m[i] = m[b + from[i]];
}

KERNEL void scatter(GLOBAL REAL* m, WORD b, WORD c, WORD n) {
  GLOBAL const INDEX* to = (GLOBAL const INDEX*)(m + c);
  const WORD i = ITEM;
  if (i < n) m[to[i]] = m[b + i];
}

KERNEL void transpose(GLOBAL REAL* m, WORD b, WORD n) {
  const WORD j = ITEM;
  if (j >= n) return;
  for (WORD i = ITEM_Y; i < n; i += ITEMS_Y) m[i * n + j] = m[b + j * n + i];
}

// One row of items computes one row of the product, as a simple port would.
KERNEL void matrix_matrix(GLOBAL REAL* m, WORD b, WORD c, WORD n, WORD rows) {
  const WORD j = ITEM;
  if (j >= n) return;
  for (WORD i = ITEM_Y; i < rows; i += ITEMS_Y) {
    REAL sum = m[c + i * n + j];
    for (WORD k = 0; k < n; ++k) sum += m[i * n + k] * m[b + k * n + j];
    m[c + i * n + j] = sum;
  }
}

DEVICE REAL lanes_of(VECTOR v) {
  REAL lanes[LANES];
  STORE(v, lanes);
  REAL sum = 0;
  for (int i = 0; i < LANES; ++i) sum += lanes[i];
  return sum;
}

// The sum of `part` over all items of a group. Only the first item gets this sum; the others get 0.
DEVICE REAL whole_sum(TO_LOCAL REAL* parts, REAL part) {
  parts[LOCAL_ITEM] = part;
  BARRIER;
  REAL sum = 0;
  if (LOCAL_ITEM == 0)
    for (WORD i = 0; i < GROUP_ITEMS; ++i) sum += parts[i];
  BARRIER;
  return sum;
}

// Each group reads a chunk; in further passes it reads the chunks of other groups, which are not in
// the caches of its own unit.
KERNEL void reduction(GLOBAL REAL* m, GLOBAL REAL* out, WORD n, WORD passes) {
  LOCAL REAL parts[MOST_ITEMS];
  VECTOR sum = (VECTOR)((REAL)0);
  REAL rest = 0;
  for (WORD pass = 0; pass < passes; ++pass) {
    const WORD from = (GROUP + pass) % GROUPS * CHUNK;
    const WORD to = from + CHUNK < n ? from + CHUNK : n;
    WORD i = from + LOCAL_ITEM * LANES;
    for (; i + LANES <= to; i += GROUP_ITEMS * LANES) sum += LOAD(m + i);
    for (WORD last = i + LANES; i < to && i < last; ++i) rest += m[i];
  }
  const REAL whole = whole_sum(parts, lanes_of(sum) + rest);
  if (LOCAL_ITEM == 0) out[GROUP] = whole;
}

// One group computes one element of the result, from one row of the matrix.
KERNEL void matrix_vector(GLOBAL REAL* m, WORD b, WORD c, WORD n) {
  LOCAL REAL parts[MOST_ITEMS];
  GLOBAL const REAL* row = m + GROUP * n;
  GLOBAL const REAL* vector = m + b;
  VECTOR sum = (VECTOR)((REAL)0);
  WORD i = LOCAL_ITEM * LANES;
  for (; i + LANES <= n; i += GROUP_ITEMS * LANES) sum += LOAD(row + i) * LOAD(vector + i);
  REAL rest = 0;
  for (WORD last = i + LANES; i < n && i < last; ++i) rest += row[i] * vector[i];
  const REAL whole = whole_sum(parts, lanes_of(sum) + rest);
  if (LOCAL_ITEM == 0) m[c + GROUP] = whole;
}
