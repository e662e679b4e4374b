"""Copse in Spack, from a checked-out tree.

    spack repo add packaging/spack
    spack dev-build --source-path . copse@main +openmp
"""

from spack.package import *

try:  # Spack 1 keeps the build systems with its packages
    from spack_repo.builtin.build_systems.cmake import CMakePackage
    from spack_repo.builtin.build_systems.cuda import CudaPackage
except ImportError:
    pass


class Copse(CMakePackage, CudaPackage):
    """Kokkos mini-apps about particle trees: orb, fof, traversal, gravity and collide."""

    tags = ["proxy-app"]
    test_requires_compiler = True

    version("main")

    variant("openmp", default=True, description="Build the OpenMP backend")
    variant("double", default=False, description="Particle data in double precision")
    variant("cgal", default=False, description="The method of fof that uses CGAL", when="~cuda")
    variant("tests", default=False, description="Build the tests")

    depends_on("c", type="build")
    depends_on("cxx", type="build")
    depends_on("cmake@3.24:", type="build")
    depends_on("mpi")
    depends_on("hdf5@1.10:")
    depends_on("cli11@2.1:")
    depends_on("nlohmann-json@3.10:")
    depends_on("fmt@9:")
    depends_on("cgal@5:", when="+cgal")
    depends_on("boost@1.66: +graph", when="+cgal")
    depends_on("catch2@3.4:", when="+tests")

    depends_on("kokkos@5: +serial cxxstd=20")
    depends_on("kokkos +openmp", when="+openmp")
    depends_on("kokkos +cuda +wrapper", when="+cuda")
    depends_on("cuda@12.4:", when="+cuda")
    for arch in CudaPackage.cuda_arch_values:
        depends_on(f"kokkos cuda_arch={arch}", when=f"+cuda cuda_arch={arch}")

    conflicts("cuda_arch=none", when="+cuda", msg="name the compute capability: cuda_arch=90")

    def cmake_args(self):
        spec = self.spec
        args = [
            self.define("COPSE_ENABLE_SERIAL", True),
            self.define_from_variant("COPSE_ENABLE_OPENMP", "openmp"),
            self.define_from_variant("COPSE_ENABLE_CUDA", "cuda"),
            self.define("COPSE_ENABLE_CGAL", "on" if spec.satisfies("+cgal") else "off"),
            self.define_from_variant("COPSE_ENABLE_TESTS", "tests"),
            self.define("COPSE_REAL", "double" if spec.satisfies("+double") else "float"),
            # Spack's compiler wrappers choose the CPU.
            self.define("COPSE_CPU_ARCH", ""),
        ]
        if spec.satisfies("+cuda"):
            args.append(self.define("COPSE_CUDA_ARCH", spec.variants["cuda_arch"].value[0]))
            # Otherwise it would be Spack's wrapper of the host's compiler.
            args.append(self.define("CMAKE_CXX_COMPILER", self["kokkos"].kokkos_cxx))
        return args
