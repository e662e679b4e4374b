#!/usr/bin/env bash
# Installs everything needed to build, test, fuzz and plot on Debian and Ubuntu.
#
# Distribution packages come from apt. Kokkos and Catch2, which the distribution lacks or has only
# in too old versions, are staged as unmodified upstream sources under .deps/, from the Debian
# source pool of the mirror that apt uses; CMake builds them as part of Copse. Run it as root, or as
# a user who may use sudo. A second run only checks. On other systems it prints what to install and
# exits with code 2.
set -euo pipefail
export LC_ALL=C # apt's answers are read below

root=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd)
deps=$root/.deps

# Required to build, test and plot: without one of these a README command fails.
packages=(
  g++ cmake ninja-build git ca-certificates
  libopenmpi-dev openmpi-bin libhdf5-dev libcli11-dev nlohmann-json3-dev libfmt-dev
  python3 python3-numpy python3-h5py python3-matplotlib python3-pandas
)
# For fuzzers, thread sanitizer and format check, a method of miniapps/fof, the web pages of the
# book, a headless browser for the test of perf/report.py, and the libraries of perf/peers;
# installed if the distribution has them. FLANN (libflann-dev) is left to the user, because it also
# installs the MPI build of HDF5.
optional_packages=(
  clang clang-format clang-format-14 libclang-rt-dev libomp-dev
  libcgal-dev libboost-dev
  mkdocs-material
  chromium-headless-shell
  python3-scipy python3-sklearn
  libtrilinos-zoltan-dev libnanoflann-dev libann-dev
)

# name, path in the Debian source pool, SHA-256 of the upstream tarball
sources=(
  "kokkos pool/main/k/kokkos/kokkos_5.0.2.orig.tar.gz \
   188817bb452ca805ee8701f1c5adbbb4fb83dc8d1c50624566a18a719ba0fa5e"
  "catch2 pool/main/c/catch2/catch2_3.7.1.orig.tar.gz \
   c991b247a1a0d7bb9c39aa35faf0fe9e19764213f28ffba3109388e62ee0269c"
)

say() { echo "install-dependencies: $*"; }

as_root() {
  if [ "$(id -u)" = 0 ]; then
    env DEBIAN_FRONTEND=noninteractive "$@"
  elif command -v sudo > /dev/null; then
    sudo env DEBIAN_FRONTEND=noninteractive "$@"
  else
    say "'$*' needs root, and there is no sudo; run this script as root." >&2
    exit 1
  fi
}

print_what_to_install() {
  cat >&2 << 'END'
install-dependencies: this system is not Debian or Ubuntu. Please install, by its own means:
  a C++20 compiler (g++ >= 11 or clang >= 14), CMake >= 3.25, Ninja, git
  an MPI library (Open MPI, MPICH, ...), HDF5 with its C API
  CLI11 >= 2.1, nlohmann/json >= 3.10, fmt >= 9
  Kokkos >= 5.0 with Serial and OpenMP (and CUDA for the cuda preset), Catch2 >= 3.4
  Python 3 with numpy, h5py, matplotlib and pandas
  optionally clang with compiler-rt (fuzzers), its OpenMP runtime (tsan), clang-format 14,
  CGAL >= 5.0 with Boost.Graph (the method emst-delaunay of miniapps/fof), MkDocs with its theme
  Material (the site of the book), Chromium (the test of the page that perf/report.py builds),
  SciPy, scikit-learn, Zoltan, nanoflann, ANN and FLANN (what perf/peers compares with)
What CMake does not find of CLI11, nlohmann/json, fmt, Kokkos and Catch2 it downloads by itself.
END
  exit 2
}

installed() { [ "$(dpkg-query -W -f '${db:Status-Status}' "$1" 2> /dev/null)" = installed ]; }
available() { [[ $(apt-cache policy "$1" 2> /dev/null) =~ Candidate:\ [^\(] ]]; }
have_package_lists() { apt-cache show g++ > /dev/null 2>&1; }

install_packages() {
  local missing=() package
  for package in "${packages[@]}"; do
    installed "$package" || missing+=("$package")
  done
  local optional=()
  for package in "${optional_packages[@]}"; do
    installed "$package" || optional+=("$package")
  done
  if [ ${#missing[@]} -gt 0 ] || { [ ${#optional[@]} -gt 0 ] && ! have_package_lists; }; then
    say "refreshing the package lists"
    as_root apt-get update -q
  fi
  for package in "${optional[@]}"; do
    if available "$package"; then
      missing+=("$package")
    else
      say "this distribution has no $package; going on without it"
    fi
  done
  if [ ${#missing[@]} -eq 0 ]; then
    say "all distribution packages are installed"
    return
  fi
  say "installing ${missing[*]}"
  as_root apt-get install -y -q --no-install-recommends "${missing[@]}"
}

# Addresses of the Debian archives of apt, the main archive first: only it has a source pool. Labels
# are known once the package lists exist.
debian_archives() {
  apt-get indextargets --format '$(ORIGIN)|$(LABEL)|$(REPO_URI)' 'Identifier: Packages' |
    awk -F'|' '$1 == "Debian" { print ($2 == "Debian" ? 0 : 1) "|" $3 }' | sort -u | cut -d'|' -f2 |
    sed 's,/*$,,'
}

# Succeeds if $deps/NAME holds the sources whose tarball has this SHA-256, and a stamp says so.
stage() {
  local name=$1 path=$2 sha256=$3
  local stamp=$deps/$name/.copse-sha256
  if [ -e "$stamp" ] && [ "$(cat "$stamp")" = "$sha256" ]; then
    say "$name is staged in .deps/$name"
    return
  fi
  local work archive
  mkdir -p "$deps"
  work=$(mktemp -d "$deps/staging.XXXXXX")
  for archive in $(debian_archives); do
    if /usr/lib/apt/apt-helper download-file "$archive/$path" "$work/source.tar.gz" \
      "SHA256:$sha256" > "$work/log" 2>&1; then
      # apt-helper has already compared the checksum; check again, because the build trusts the
      # stamp.
      echo "$sha256  $work/source.tar.gz" | sha256sum --check --quiet
      mkdir "$work/source"
      tar -xzf "$work/source.tar.gz" -C "$work/source" --strip-components=1 --no-same-owner
      echo "$sha256" > "$work/source/.copse-sha256"
      rm -rf "${deps:?}/$name"
      mv "$work/source" "$deps/$name"
      rm -rf "$work"
      say "staged $(basename "$path" .orig.tar.gz) in .deps/$name"
      return
    fi
  done
  rm -rf "$work"
  say "no archive apt knows has $(basename "$path"); CMake will download $name itself"
}

if ! command -v apt-get > /dev/null || ! command -v dpkg-query > /dev/null; then
  print_what_to_install
fi
install_packages
if [ -z "$(debian_archives)" ] && ! have_package_lists; then as_root apt-get update -q; fi
for source in "${sources[@]}"; do
  read -r name path sha256 <<< "$source"
  stage "$name" "$path" "$sha256"
done
if [ -n "${SUDO_UID:-}" ]; then chown -R "$SUDO_UID:${SUDO_GID:-$SUDO_UID}" "$deps"; fi

cmake_version=$(cmake --version | sed -n 's/^cmake version //p')
if ! printf '3.25\n%s\n' "$cmake_version" | sort -V -C; then
  say "CMake $cmake_version is too old: presets with workflows need 3.25 or newer." >&2
  exit 1
fi
say "done"
