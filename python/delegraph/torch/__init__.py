"""Partitioners of torch that answer in linear time.

>>> from delegraph.torch import FastCapabilityBasedPartitioner
>>> FastCapabilityBasedPartitioner(module, support).propose_partitions()

or, for every partitioner of the process:

>>> import delegraph.torch
>>> delegraph.torch.install()
"""

from delegraph.torch.partitioner import (
    FastCapabilityBasedPartitioner,
    Slow,
    install,
    installed,
    uninstall,
)

__all__ = [
    "FastCapabilityBasedPartitioner",
    "Slow",
    "install",
    "installed",
    "uninstall",
]
