"""What pyproject.toml cannot say: a wheel with a program in it is for one platform.

``python/make_wheel.sh`` names the platform; without it the package is Python alone.
"""

import os

from setuptools import Distribution, setup

PLATFORM = os.environ.get("DELEGRAPH_WHEEL_PLATFORM")
commands = {}


class PlatformDistribution(Distribution):
    """What is in it goes where compiled modules go."""

    def has_ext_modules(self):
        return bool(PLATFORM)


if PLATFORM:
    from wheel.bdist_wheel import bdist_wheel

    class PlatformWheel(bdist_wheel):
        """For any Python."""

        def get_tag(self):
            return "py3", "none", PLATFORM

    commands["bdist_wheel"] = PlatformWheel

setup(cmdclass=commands, distclass=PlatformDistribution)
