"""check_recipes.py ROOT: the recipes of packaging/ agree with the build: Spack's with the CMake options and
the oldest versions of the dependencies, the containers' with the README's first command.
"""

import ast
import pathlib
import re
import sys

root = pathlib.Path(sys.argv[1])
recipe = (root / "packaging/spack/packages/copse/package.py").read_text(encoding="utf-8")
tree = ast.parse(recipe)
package, = (node for node in tree.body if isinstance(node, ast.ClassDef))
assert package.name == "Copse" and ast.get_docstring(package)
assert "namespace: copse" in (root / "packaging/spack/repo.yaml").read_text(encoding="utf-8")


def calls(name):
    """The first arguments of all calls of a function or method."""
    return [node.args[0].value for node in ast.walk(package) if isinstance(node, ast.Call)
            and name in (getattr(node.func, "id", ""), getattr(node.func, "attr", ""))
            and node.args and isinstance(node.args[0], ast.Constant)]


known = "".join((root / f"cmake/{name}.cmake").read_text(encoding="utf-8")
                for name in ("CopseOptions", "CopseKokkos", "CopseDependencies", "CopseCompiler"))
options = calls("define") + calls("define_from_variant")
assert len(options) == 9 and all(re.search(rf"\b{option}\b", known) for option in options), options

# variants that arguments come from are declared
declared = set(calls("variant")) | {"cuda"}
used = {node.args[1].value for node in ast.walk(package) if isinstance(node, ast.Call)
        and getattr(node.func, "attr", "") == "define_from_variant"}
assert used <= declared, used - declared

# the oldest versions are those of the build
needed = dict(re.findall(r"copse_dependency\((\w+) ([\d.]+)", known))
spelt = {"Kokkos": "kokkos", "CLI11": "cli11", "nlohmann_json": "nlohmann-json", "fmt": "fmt", "Catch2": "catch2"}
assert set(needed) == set(spelt), needed
for package_name, version in needed.items():
    said = [text for text in calls("depends_on") if re.match(rf"{spelt[package_name]}@", text)]
    assert len(said) == 1, (package_name, said)
    oldest = re.match(r"[\w-]+@([\d.]+):", said[0])[1]
    pad = lambda text: ([int(n) for n in text.split(".")] + [0, 0])[:3]  # noqa: E731
    assert pad(oldest) == pad(version), (said, version)
config = (root / "cmake/CopseConfig.cmake.in").read_text(encoding="utf-8")
for package_name, version in needed.items():
    if package_name != "Catch2":  # of the tests alone
        assert f"set(copse_{package_name}_version {version})" in config, package_name

# containers run the README's two commands
readme = (root / "README.md").read_text(encoding="utf-8")
for command in ("cmake/install-dependencies.sh", "cmake --workflow --preset demo"):
    assert re.search(rf"^{command}$", readme, re.MULTILINE), f"the README has no command {command}"
    for name in ("Dockerfile", "copse.def"):
        assert command in (root / "packaging" / name).read_text(encoding="utf-8"), (name, command)
