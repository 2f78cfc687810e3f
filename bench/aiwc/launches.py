"""Launches of OpenCL kernels of the Extended OpenDwarfs, in the format of host.c."""


def lud(n, block=16):
    """The first step of the LU decomposition of an n x n matrix."""
    rest = n - block
    return [f"lud_diagonal 1 {block} {block} b0 i{n} i0",
            f"lud_perimeter 1 {2 * rest} {2 * block} b0 i{n} i0",
            f"lud_internal 2 {rest} {rest} {block} {block} b0 i{n} i0"]


def kmeans(points, features=30, clusters=5, group=16):
    return [f"invert_mapping 1 {points} {group} b0 b1 i{points} i{features}",
            f"kmeansPoint 1 {points} {group} b1 i{features} i{points} i{clusters} b2 b3"]
