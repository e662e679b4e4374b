#pragma once
/// \file
/// COPSE_UNROLL before a loop of constant length in device code unrolls it unconditionally, so that
/// arrays indexed by its variable stay in registers. Host compilers decide for themselves, also in
/// nvcc's host pass: they do not know the pragma and would warn.

#if defined(__CUDA_ARCH__)
#define COPSE_UNROLL _Pragma("unroll")
#else
#define COPSE_UNROLL
#endif
