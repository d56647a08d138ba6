"""Marks wheels that have the library and the command in them as made for a platform."""

import os

from setuptools import Distribution, setup
from setuptools.command.bdist_wheel import bdist_wheel

PLATFORM = os.environ.get("LARDER_WHEEL_PLATFORM")


class NativeDistribution(Distribution):
    """Has machine code in it where the wheel is for a platform."""

    def has_ext_modules(self) -> bool:
        """Whether what is installed depends on the machine."""
        return PLATFORM is not None


class NativeWheel(bdist_wheel):
    """A wheel for every version of Python 3: the library is called through ctypes."""

    def get_tag(self) -> tuple[str, str, str]:
        """Python, its binary interface, and the platform."""
        return ("py3", "none", PLATFORM or "any")


setup(distclass=NativeDistribution, cmdclass={"bdist_wheel": NativeWheel})
