"""Graph nodes straight to machine code: kernels are run on values of LLVM's intermediate language, no text and no Numba between."""
