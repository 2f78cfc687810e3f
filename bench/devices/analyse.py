#!/usr/bin/env python3
"""analyse.py APMT HOST OPENDWARFS FOLDER [SIZE...]: analyses kernels of six applications of the Extended OpenDwarfs,
each launched once with the sizes of the suite, and writes FOLDER/APPLICATION-SIZE.json. HOST is bench/aiwc/host.c
compiled with ELEMENTS = 1 << 22."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "aiwc"))
from launches import kmeans, lud

apmt, host, dwarfs, folder = sys.argv[1:5]
sizes = sys.argv[5:] or ["tiny", "small", "medium", "large"]

# All analysers whose results apmt match can use for OpenCL kernels.
analysers = "mix,parallelism,all-operations,stack-distances,synchronisation,footprint"


def fft(n, last):
    """The first step of an FFT of n elements (radix 16), and its last step (radix `last`), which combines
    parts of n / last elements."""
    def step(radix, part):
        return f"fftRadix{radix}Kernel 1 {n // radix} {min(64, n // radix)} b0 b1 i{part}"
    return [step(16, 1), step(last, n // last)]


def dwt(width, height):
    window = next(w for least, w in ((960, 192), (480, 128), (240, 64), (0, 8)) if width >= least)
    rows = 8
    steps = -(-height // (15 * rows))
    across, down = -(-width // window), -(-height // (rows * steps))
    pixels = width * height
    return [f"c_CopySrcToComponents 1 {-(-pixels // 256) * 256} 256 b0 b1 b2 b3 i{pixels}",
            f"cl_fdwt53Kernel 2 {across * window} {down} {window} 1 b0 b1 i{width} i{height} i{steps} i{window} i{rows} "
            f"l{window * rows * 3 * 4}"]


def crc(length):
    return [f"crc32_slice8 1 1 1 b0 i{length} i{length // 4} b1"]


def hmm(symbols, states=60, length=1000, group=256, block=16):
    """The buffers are: b0 a, b1 b, b2 pi, b3 alpha, b4 beta, b5 gamma, b6 ones and xi, b7 row sums."""
    def grid(rows):
        across, down = -(-states // block) * block, -(-rows // block) * block
        return f"2 {across} {down} {block} {block}"
    return [f"init_ones_dev 1 {group} {group} b6 i{symbols}",
            f"init_alpha_dev 1 {group} {group} b1 b2 i{states} b3 b6 i0",
            f"scale_alpha_dev 1 {group} {group} i{states} b3 i0 f2",
            f"mvm_non_kernel_naive 1 8192 128 i{states} i{states} b0 i{states} b3 i0 b3 i{states}",
            f"calc_alpha_dev 1 {group} {group} i{states} b3 i{states} b1 i0",
            f"init_beta_dev 1 {group} {group} i{states} b4 i{(length - 1) * states} f2",
            f"calc_beta_dev 1 {group} {group} b4 b1 f2 i{states} i0 i{length - 2}",
            f"s_dot_kernel_naive 1 {128 * states} 128 i{states} b3 i0 b4 i0 b7",
            f"calc_gamma_dev 1 {group} {group} b5 b3 b4 i{states} i0",
            f"calc_xi_dev {grid(states)} b6 b0 b1 b3 b4 f2 i{states} i0 i0",
            f"est_a_dev {grid(states)} b0 b3 b4 b6 b5 f2 i{states} i{length - 1}",
            f"scale_a_dev {grid(states)} b0 b7 i{states}",
            f"acc_b_dev {grid(symbols)} b1 b3 b4 f2 i{states} i{symbols} i0 i0",
            f"est_b_dev {grid(symbols)} b1 b5 i{states} i{symbols}",
            f"mvm_trans_kernel_naive 1 8192 128 i{states} i{states} b0 i{states} b6 i0 b7 i0",
            f"scale_b_dev {grid(symbols)} b1 b7 i{states} i{symbols}",
            f"est_pi_dev 1 {group} {group} b2 b3 b4 f2 i{states}"]


# Oclgrind cannot follow what sincos() stores, so the FFT calls sin() and cos() instead.
fft_options = "-cl-fast-relaxed-math -D CONFIG_USE_DOUBLE=0 -D sincos(a,p)=(*(p)=cos(a),sin(a))"

runs = {
    "lud": ("dense-linear-algebra/lud/lud_kernel.cl", "-D BLOCK_SIZE=16",
            {"tiny": lud(80), "small": lud(240), "medium": lud(1440)}),
    "kmeans": ("mapreduce/kmeans/kmeans_opencl_kernel.cl", "",
               {"tiny": kmeans(256), "small": kmeans(2048), "medium": kmeans(65600), "large": kmeans(131072)}),
    "fft": ("spectral-methods/OpenCLfft2/src/FFTKernels.cl", fft_options,
            {"tiny": fft(2048, 8), "small": fft(16384, 4), "medium": fft(524288, 8), "large": fft(2097152, 2)}),
    "dwt": ("spectral-methods/dwt2d/dwt2d_kernel.cl", "",
            {"tiny": dwt(72, 54), "small": dwt(200, 150), "medium": dwt(1152, 864)}),
    "crc": ("combinational-logic/crc/src/crc_kernel.cl", f"-D OPENCL -I {Path(dwarfs).resolve()}/include",
            {"tiny": crc(2000), "small": crc(16000), "medium": crc(524000), "large": crc(4194304)}),
    "hmm": ("graphical-models/hmm/bwa_hmm_opencl.cl", "", {"tiny": hmm(8), "small": hmm(900)}),
}

for application, (source, options, by_size) in runs.items():
    for size in (s for s in sizes if s in by_size):
        with tempfile.TemporaryDirectory() as name:
            file = Path(name) / "analysis.json"
            subprocess.run([apmt, "-q", "analyze", "--opencl", "--with", analysers, "-o", file, "--", host,
                            Path(dwarfs).resolve() / source, options],
                           input="\n".join(by_size[size]), text=True, check=True, cwd=name, stdout=subprocess.DEVNULL)
            analysis = json.loads(file.read_text())
            analysis["program"] = f"{application}, {size}"  # replaces the command, which has paths of this machine
            target = Path(folder) / f"{application}-{size}.json"
            target.write_text(json.dumps(analysis, separators=(",", ":")) + "\n")
            print(f"{application} {size}: {sum(k['mix']['instructions'] for k in analysis['kernels']):,} instructions, "
                  f"{target.stat().st_size:,} bytes", flush=True)
