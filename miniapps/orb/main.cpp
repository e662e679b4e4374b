#include <copse/backend/backends.hpp>

int main() { return 0; }
