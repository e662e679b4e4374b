#pragma once
/// \file
/// COPSE_UNROLL before a loop of constant length in device code unrolls it unconditionally, so that
/// arrays indexed by its variable stay in registers. It is empty in host code, also in nvcc's host
/// pass, because host compilers do not know the pragma and would warn.

#if defined(__CUDA_ARCH__)
#define COPSE_UNROLL _Pragma("unroll")
#else
#define COPSE_UNROLL
#endif
