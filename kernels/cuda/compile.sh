#!/bin/sh
# compile.sh OBJCOPY NVCC...: compiles a file of kernels. Its constructor, which tells CUDA's
# runtime of them, goes where dg_cuda_open() finds it: a quarter of the start of a program
# that uses no device would be these.
objcopy=$1
shift
"$@" || exit
while [ "$1" != -o ]; do
    shift
done
exec "$objcopy" --rename-section .init_array=dg_cuda_kernels "$2"
