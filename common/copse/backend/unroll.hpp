#pragma once
/// \file
/// COPSE_UNROLL before a loop of constant length in device code: unroll it whatever is inside, so
/// that arrays indexed by its variable live in registers. Host compilers decide for themselves, in
/// nvcc's host pass too: they do not know the pragma and would warn.

#if defined(__CUDA_ARCH__)
#define COPSE_UNROLL _Pragma("unroll")
#else
#define COPSE_UNROLL
#endif
