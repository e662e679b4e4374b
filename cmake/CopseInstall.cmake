# Installation and the CMake package, so that other projects can find_package(Copse).
