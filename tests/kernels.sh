# The reference computes what torch computes: a choice of its own operator samples.
"$top_builddir"/tests/kernels/check_kernels "$top_srcdir"/tests/data/op_cases.bin \
    "$top_srcdir"/tests/data/op_cases_special.bin "$top_srcdir"/tests/data/op_cases_complex.bin \
    "$top_srcdir"/tests/data/op_cases_complex_groups.bin "$top_srcdir"/tests/data/op_cases_spectral.bin \
    "$top_srcdir"/tests/data/op_cases_linalg.bin "$top_srcdir"/tests/data/op_cases_whole.bin
