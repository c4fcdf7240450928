"""Builds libevery_shape.so (where there is a CUDA compiler), libevery_shape_cpu.so and the operator.

In the environment: EVERY_SHAPE_LIBRARIES, a folder that has the libraries already; MAX_JOBS.
"""

import os
import shutil
import site
import subprocess
import sys
from pathlib import Path

from setuptools import setup

try:
    import torch
except ImportError:
    # pip builds in an environment of its own. What it builds is for the PyTorch of the one around it.
    sys.path += [*site.getsitepackages(), site.getusersitepackages()]
    try:
        import torch
    except ImportError:
        sys.exit("every_shape: this Python has no PyTorch, for which it is built: install that first")
from torch.utils.cpp_extension import BuildExtension, CppExtension

HERE = Path(__file__).resolve().parent


class Build(BuildExtension):
    def run(self) -> None:
        libraries = os.environ.get("EVERY_SHAPE_LIBRARIES")
        if not libraries:
            build = Path(self.build_temp).resolve() / "libraries"
            jobs = os.environ.get("MAX_JOBS", str(os.cpu_count()))
            subprocess.check_call(["cmake", "--fresh", "-S", HERE, "-B", build])
            subprocess.check_call(["cmake", "--build", build, "-j", jobs, "--target", "libraries"])
            libraries = build / "lib"
        package = Path(self.get_ext_fullpath("every_shape._operator")).resolve().parent
        package.mkdir(parents=True, exist_ok=True)
        for library in Path(libraries).glob("libevery_shape*.so"):
            shutil.copy(library, package)
        (package / "_built_for.py").write_text(f'TORCH = "{torch.__version__}"\n')
        super().run()
        if b"libstdc++.so" not in Path(self.get_ext_fullpath("every_shape._operator")).read_bytes():
            sys.exit("every_shape: this C++ compiler links libstdc++ statically, PyTorch does not: set CXX to another one")


setup(
    packages=["every_shape"],
    package_dir={"": "src"},
    include_package_data=False,
    ext_modules=[
        CppExtension(
            "every_shape._operator",
            ["src/every_shape/operator.cpp"],
            extra_compile_args=["-std=c++20", "-O1", "-g0", "-fvisibility=hidden"],
            libraries=["dl"],
        )
    ],
    cmdclass={"build_ext": Build},
)
