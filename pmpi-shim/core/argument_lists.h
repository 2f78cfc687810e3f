// Macros that turn the list of argument roles of an MPI call into the parts of its wrapper's
// definition: the parameters, their names, and the roles as template arguments.
#pragma once

// APMT_COUNT(arguments...) is the number of these arguments, from 1 to 14.
#define APMT_COUNT(...) APMT_COUNT_(__VA_ARGS__, 14, 13, 12, 11, 10, 9, 8, 7, 6, 5, 4, 3, 2, 1)
#define APMT_COUNT_(a, b, c, d, e, f, g, h, i, j, k, l, m, n, count, ...) count
#define APMT_JOIN(a, b) APMT_JOIN_(a, b)
#define APMT_JOIN_(a, b) a##b

/// (width, buf, count) -> Arg<Role::buf, width> p1, Arg<Role::count, width> p2
#define APMT_PARAMETERS(width, ...) \
  __VA_OPT__(APMT_JOIN(APMT_P, APMT_COUNT(__VA_ARGS__))(width, __VA_ARGS__))
/// (buf, count) -> , p1, p2
#define APMT_ARGUMENTS(...) __VA_OPT__(APMT_JOIN(APMT_A, APMT_COUNT(__VA_ARGS__)))
/// (buf, count) -> Role::buf, Role::count
#define APMT_ROLES(...) __VA_OPT__(APMT_JOIN(APMT_R, APMT_COUNT(__VA_ARGS__))(__VA_ARGS__))

#define APMT_P1(w, a) Arg<Role::a, w> p1
#define APMT_P2(w, a, b) APMT_P1(w, a), Arg<Role::b, w> p2
#define APMT_P3(w, a, b, c) APMT_P2(w, a, b), Arg<Role::c, w> p3
#define APMT_P4(w, a, b, c, d) APMT_P3(w, a, b, c), Arg<Role::d, w> p4
#define APMT_P5(w, a, b, c, d, e) APMT_P4(w, a, b, c, d), Arg<Role::e, w> p5
#define APMT_P6(w, a, b, c, d, e, f) APMT_P5(w, a, b, c, d, e), Arg<Role::f, w> p6
#define APMT_P7(w, a, b, c, d, e, f, g) APMT_P6(w, a, b, c, d, e, f), Arg<Role::g, w> p7
#define APMT_P8(w, a, b, c, d, e, f, g, h) APMT_P7(w, a, b, c, d, e, f, g), Arg<Role::h, w> p8
#define APMT_P9(w, a, b, c, d, e, f, g, h, i) APMT_P8(w, a, b, c, d, e, f, g, h), Arg<Role::i, w> p9
#define APMT_P10(w, a, b, c, d, e, f, g, h, i, j) \
  APMT_P9(w, a, b, c, d, e, f, g, h, i), Arg<Role::j, w> p10
#define APMT_P11(w, a, b, c, d, e, f, g, h, i, j, k) \
  APMT_P10(w, a, b, c, d, e, f, g, h, i, j), Arg<Role::k, w> p11
#define APMT_P12(w, a, b, c, d, e, f, g, h, i, j, k, l) \
  APMT_P11(w, a, b, c, d, e, f, g, h, i, j, k), Arg<Role::l, w> p12
#define APMT_P13(w, a, b, c, d, e, f, g, h, i, j, k, l, m) \
  APMT_P12(w, a, b, c, d, e, f, g, h, i, j, k, l), Arg<Role::m, w> p13
#define APMT_P14(w, a, b, c, d, e, f, g, h, i, j, k, l, m, n) \
  APMT_P13(w, a, b, c, d, e, f, g, h, i, j, k, l, m), Arg<Role::n, w> p14

#define APMT_A1 , p1
#define APMT_A2 APMT_A1, p2
#define APMT_A3 APMT_A2, p3
#define APMT_A4 APMT_A3, p4
#define APMT_A5 APMT_A4, p5
#define APMT_A6 APMT_A5, p6
#define APMT_A7 APMT_A6, p7
#define APMT_A8 APMT_A7, p8
#define APMT_A9 APMT_A8, p9
#define APMT_A10 APMT_A9, p10
#define APMT_A11 APMT_A10, p11
#define APMT_A12 APMT_A11, p12
#define APMT_A13 APMT_A12, p13
#define APMT_A14 APMT_A13, p14

#define APMT_R1(a) Role::a
#define APMT_R2(a, b) APMT_R1(a), Role::b
#define APMT_R3(a, b, c) APMT_R2(a, b), Role::c
#define APMT_R4(a, b, c, d) APMT_R3(a, b, c), Role::d
#define APMT_R5(a, b, c, d, e) APMT_R4(a, b, c, d), Role::e
#define APMT_R6(a, b, c, d, e, f) APMT_R5(a, b, c, d, e), Role::f
#define APMT_R7(a, b, c, d, e, f, g) APMT_R6(a, b, c, d, e, f), Role::g
#define APMT_R8(a, b, c, d, e, f, g, h) APMT_R7(a, b, c, d, e, f, g), Role::h
#define APMT_R9(a, b, c, d, e, f, g, h, i) APMT_R8(a, b, c, d, e, f, g, h), Role::i
#define APMT_R10(a, b, c, d, e, f, g, h, i, j) APMT_R9(a, b, c, d, e, f, g, h, i), Role::j
#define APMT_R11(a, b, c, d, e, f, g, h, i, j, k) APMT_R10(a, b, c, d, e, f, g, h, i, j), Role::k
#define APMT_R12(a, b, c, d, e, f, g, h, i, j, k, l) \
  APMT_R11(a, b, c, d, e, f, g, h, i, j, k), Role::l
#define APMT_R13(a, b, c, d, e, f, g, h, i, j, k, l, m) \
  APMT_R12(a, b, c, d, e, f, g, h, i, j, k, l), Role::m
#define APMT_R14(a, b, c, d, e, f, g, h, i, j, k, l, m, n) \
  APMT_R13(a, b, c, d, e, f, g, h, i, j, k, l, m), Role::n
