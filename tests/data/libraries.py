"""Shared objects as AOTInductor makes them: by torch's own compiler for the CPU, and, for CUDA,
by a C compiler from what its generated code exports and calls, with code of nvcc inside."""

import io
import re
import subprocess
import tempfile
import zipfile
from pathlib import Path

import torch
from torch.export.pt2_archive._package import PT2ArchiveWriter

KERNELS = r"""
extern "C" __global__ void triton_poi_fused_add_0(float *out, const float *in, int n)
{
    int i = blockIdx.x * blockDim.x + threadIdx.x;

    if (i < n)
        out[i] = in[i] + 1.0f;
}

extern "C" __global__ void triton_red_fused_sum_1(float *out, const float *in, int n)
{
    __shared__ float sums[128];
    float sum = 0;

    for (int i = threadIdx.x; i < n; i += blockDim.x)
        sum += in[i];
    sums[threadIdx.x] = sum;
    __syncthreads();
    for (int half = 64; half; half /= 2) {
        if (threadIdx.x < half)
            sums[threadIdx.x] += sums[threadIdx.x + half];
        __syncthreads();
    }
    if (!threadIdx.x)
        *out = sums[0];
}
"""

# What the runtimes look up (aoti_delegate_handle.h), and what generated code calls of them.
MODEL = r"""
#include <stdlib.h>
#include <string.h>

typedef void *handle;
int aoti_torch_delete_tensor_object(handle);
int aoti_torch_empty_strided(long, const long *, const long *, int, int, int, handle *);
int aoti_torch_get_data_ptr(handle, void **);
int aoti_torch_get_sizes(handle, long **);
int aoti_torch_create_stream_guard(void *, int, handle *);
extern const unsigned char __triton_poi_fused_add_0_start[], _binary_constants_bin_start[];
__attribute__((visibility("default"))) const char listing[] = LISTING;

int AOTInductorModelContainerCreateWithDevice(handle *out, size_t n, const char *device,
                                              const char *folder)
{
    *out = malloc(n);
    memcpy(*out, __triton_poi_fused_add_0_start, n);
    return aoti_torch_get_data_ptr(*out, out) + _binary_constants_bin_start[0];
}

int AOTInductorModelContainerDelete(handle model)
{
    free(model);
    return aoti_torch_delete_tensor_object(model);
}

int AOTInductorModelContainerGetNumInputs(handle model, size_t *n)
{
    *n = 1;
    return 0;
}

int AOTInductorModelContainerGetNumOutputs(handle model, size_t *n)
{
    *n = 1;
    return 0;
}

int AOTInductorModelUpdateConstantsFromBlob(handle model, const unsigned char *bytes)
{
    return bytes[0];
}

int AOTInductorModelContainerRun(handle model, handle *in, size_t n_in, handle *out,
                                 size_t n_out, handle stream, handle proxy)
{
    return aoti_torch_create_stream_guard(stream, 0, out) +
           aoti_torch_empty_strided(0, 0, 0, 0, 0, 0, out) + aoti_torch_get_sizes(*in, 0);
}
"""

NAMES = ("triton_poi_fused_add_0", "triton_red_fused_sum_1")
ARCHITECTURES = ("80", "90a")
MACHINE_PATH = re.compile(rb"/(?:work|root|usr|home|tmp|opt|build)/[^\0\"\s:]*")


def run(*command, **options):
    return subprocess.run(command, check=True, capture_output=True, **options).stdout


def fat_binaries(folder):
    """For each kernel what torch's emit_multi_arch_kernel makes: code and PTX."""
    for name in NAMES:
        # Of a source with many kernels only the one that the others do not need is kept.
        parts = re.split(r'(?=extern "C")', KERNELS)
        source = folder / f"{name}.cu"
        source.write_text(next(p for p in parts if name in p))
        images = []
        for arch in ARCHITECTURES:
            code, text = folder / f"{name}.{arch}.cubin", folder / f"{name}.{arch}.ptx"
            run("nvcc", "-cubin", f"-arch=sm_{arch}", source.name, "-o", code, cwd=folder)
            images.append(f"--image3=kind=elf,sm={arch},file={code.name}")
        run("nvcc", "-ptx", "-arch=compute_80", source.name, "-o", text, cwd=folder)
        images.append(f"--image3=kind=ptx,sm=80,file={text.name}")
        run("fatbinary", f"--create={name}.fatbin", "-64", *images, cwd=folder)


def embedding(folder):
    """torch._inductor.utils.batch_convert_cubins_to_obj."""
    lines = [".section .rodata"]
    for name in NAMES:
        lines += [
            f".balign 16\n.global __{name}_start\n.global __{name}_end",
            f'__{name}_start:\n.incbin "{name}.fatbin"\n__{name}_end:',
            f".global __{name}_size\n.set __{name}_size, __{name}_end - __{name}_start",
        ]
    (folder / "cubins.S").write_text("\n".join(lines) + "\n")


def weights_elsewhere(folder, nbytes):
    """_compile_consts in torch/_inductor/codecache.py, of weights in a file of their own, or of
    none that the library knows."""
    content = ".space 1" if nbytes is None else f".quad {nbytes}"
    (folder / "weights.S").write_text(
        '\t.section\t.lrodata, "a"\n\t.balign 64\n\t.globl\t_binary_constants_bin_start\n'
        f"_binary_constants_bin_start:\n\t{content}\n"
        "\t.globl\t_binary_constants_bin_end\n_binary_constants_bin_end:\n"
    )


def cuda_library(listing, weights_bytes):
    """A shared object that takes `weights_bytes` of weights from elsewhere; None: by name."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        text = listing.decode().replace("\n", "\\n")
        (folder / "model.c").write_text(MODEL.replace("LISTING", f'"{text}"'))
        fat_binaries(folder)
        embedding(folder)
        weights_elsewhere(folder, weights_bytes)
        run("gcc", "-shared", "-fPIC", "-O1", "-s", "-Wl,-z,noseparate-code", "model.c", "cubins.S",
            "weights.S", "-o", "model.wrapper.so", cwd=folder)
        return (folder / "model.wrapper.so").read_bytes()


def without_machine_paths(data):
    """The same bytes, but for paths, which keep their lengths."""
    return MACHINE_PATH.sub(lambda path: path[0].rsplit(b"/", 1)[1].rjust(len(path[0]), b"/"), data)


def cpu_package(program, **options):
    """What torch packages, but stripped of what a debugger reads, and of paths."""
    settings = {f"aot_inductor.{key}": value for key, value in options.items()}
    with tempfile.TemporaryDirectory() as name:
        path = Path(name) / "model.pt2"
        torch._inductor.aoti_compile_and_package(
            program, package_path=str(path), inductor_configs=settings
        )
        buffer = io.BytesIO()
        with zipfile.ZipFile(path) as old, PT2ArchiveWriter(buffer) as new:
            for entry in old.namelist():
                inner = entry.split("/", 1)[1]
                if inner.startswith("data/"):
                    new.write_bytes(inner, entry_bytes(old.read(entry), inner, Path(name)))
        return buffer.getvalue()


def entry_bytes(data, name, folder):
    if name.endswith(".so"):
        library = folder / "library.so"
        library.write_bytes(data)
        run("strip", "-s", library)
        data = library.read_bytes()
    if name.endswith(".cpp"):  # the commands at the end name this machine
        data = b"\n".join(line for line in data.split(b"\n") if not line.startswith(b"// "))
    return without_machine_paths(data)
