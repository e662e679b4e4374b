#pragma once
/// \file
/// COPSE_UNROLL before a loop of constant length in device code: unroll it whatever is inside, so
/// that arrays indexed by its variable live in registers. Host compilers decide for themselves.

#if defined(__CUDACC__)
#define COPSE_UNROLL _Pragma("unroll")
#else
#define COPSE_UNROLL
#endif
