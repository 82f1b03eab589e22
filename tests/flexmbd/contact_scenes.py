"""The scenes of the benchmarks, for tests."""

import importlib.util
from pathlib import Path

PATH = Path(__file__).resolve().parents[2] / "benchmarks" / "_contact_scenes.py"
specification = importlib.util.spec_from_file_location("benchmark_contact_scenes", PATH)
scenes = importlib.util.module_from_spec(specification)
specification.loader.exec_module(scenes)
