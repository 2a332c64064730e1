"""Worktop plans what a training step keeps, recomputes and offloads, and runs the plan in PyTorch."""
from worktop import _core
