# The upstream releases that are downloaded if neither an installed package nor sources under .deps/
# are found. The checksums are those of public package recipes for the same addresses.

set(COPSE_Kokkos_URL
  https://github.com/kokkos/kokkos/releases/download/5.0.2/kokkos-5.0.2.tar.gz)
set(COPSE_Kokkos_SHA256 188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e)

set(COPSE_CLI11_URL https://github.com/CLIUtils/CLI11/archive/refs/tags/v2.3.2.tar.gz)
set(COPSE_CLI11_SHA256 aac0ab42108131ac5d3344a9db0fdf25c4db652296641955720a4fbe52334e22)

set(COPSE_nlohmann_json_URL
  https://github.com/nlohmann/json/releases/download/v3.11.3/json.tar.xz)
set(COPSE_nlohmann_json_SHA256 d6c65aca6b1ed68e7a182f4757257b107ae403032760ed6ef121c9d55e81757d)

set(COPSE_fmt_URL https://github.com/fmtlib/fmt/archive/refs/tags/9.1.0.tar.gz)
set(COPSE_fmt_SHA256 5dea48d1fcddc3ec571ce2058e13910a0d4a6bab4cc09a809d8b1dd1c88ae6f2)

set(COPSE_Catch2_URL https://github.com/catchorg/Catch2/archive/refs/tags/v3.7.1.tar.gz)
set(COPSE_Catch2_SHA256 c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c)
