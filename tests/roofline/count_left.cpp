// [Rehmann 2022] listing 1 as it is printed: counting the particles left of a cut plane.
int count_left(const float* startPtr, const float* endPtr, float cut) {
  int nLeft = 0;
  for (auto p = startPtr; p < endPtr; ++p) nLeft += *p < cut;
  return nLeft;
}
