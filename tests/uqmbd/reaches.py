"""A script with one model for each way to reach something; ``CHANGED=1`` changes what they reach, and nothing else. Prints their digests.

Run it in a folder whose models are written by `write_files`.
"""

import contextlib
import dataclasses
import enum
import functools
import json
import os
import sys
import types
from collections import namedtuple
from pathlib import Path

import numpy as np

from uqmbd.simulators.model import find_model

CHANGED = os.environ.get("CHANGED") == "1"
FILES = {
    "import_at_top": ("from pars_top import MASS\n\ndef model(a):\n    return {'y': MASS * a}\n", "pars_top.py"),
    "module_at_top": ("import pars_attr as p\n\ndef model(a):\n    return {'y': p.MASS * a}\n", "pars_attr.py"),
    "import_inside": ("def model(a):\n    import pars_inside\n    return {'y': pars_inside.MASS * a}\n", "pars_inside.py"),
    "from_inside": ("def model(a):\n    from pars_from import MASS\n    return {'y': MASS * a}\n", "pars_from.py"),
    "module_of_module": ("from pars_outer import twice\n\ndef model(a):\n    return {'y': twice(a)}\n", "pars_inner.py"),
    "star": ("from pars_star import *\n\ndef model(a):\n    return {'y': MASS * a}\n", "pars_star.py"),
    "package": ("from pars_package.deep import MASS\n\ndef model(a):\n    return {'y': MASS * a}\n", "pars_package/deep.py"),
    "csv_at_import": (
        "import numpy as np\nfrom pathlib import Path\nTABLE = np.loadtxt(Path(__file__).parent / 'table.csv')\n\n"
        "def model(a):\n    return {'y': TABLE.sum() * a}\n",
        "table.csv",
    ),
    "path_read_in_the_call": (
        "from pathlib import Path\nTABLE = Path(__file__).parent / 'called.csv'\n\n"
        "def model(a):\n    return {'y': float(TABLE.read_text()) * a}\n",
        "called.csv",
    ),
    "argv_in_a_file": ("import sys\nK = float(sys.argv[1])\n\ndef model(a):\n    return {'y': K * a}\n", ""),
    "its_own_text": ("def model(a):\n    return {'y': 2 * a}\n", "model"),
}


def write_files(folder: Path, changed: bool) -> None:
    """Folders of models with the modules and data that they draw on."""
    for name, (source, other) in FILES.items():
        home = folder / name
        home.mkdir(exist_ok=True)
        (home / "model.py").write_text(source.replace("2 * a", "3 * a") if other == "model" and changed else source)
        value = 7.0 if changed else 2.0
        if other.endswith(".py"):
            (home / other).parent.mkdir(exist_ok=True)
            (home / other).write_text(f"MASS = {value}\n")
        elif other.endswith(".csv"):
            (home / other).write_text(f"{value}\n")
    (folder / "package" / "pars_package" / "__init__.py").write_text("")
    (folder / "module_of_module" / "pars_outer.py").write_text("def twice(a):\n    import pars_inner\n    return 2 * pars_inner.MASS * a\n")


K = 7.0 if CHANGED else 2.0
ARGUMENT = float(sys.argv[1]) if __name__ == "__main__" else 0.0
NAMES = {"alpha", "beta", "gamma", "delta" if CHANGED else "epsilon"}
NESTED = {"masses": [1.0, {"rod": (K, 2.0)}], "names": frozenset({"x", "y", "z"})}
ARRAY = np.arange(20_000.0)
ARRAY[10_000] += CHANGED
OBJECTS = np.array([K, "text", None], dtype=object)
Point = namedtuple("Point", "x y")
POINT = Point(1.0, K)
MADE = types.ModuleType("made")
MADE.K = K
LONG = 10**5000 + int(K)


def number(a):
    return K * a


def below(a):
    return number(a)


def even(n):
    return True if n == 0 else odd(n - 1)


def odd(n):
    return K if n == 0 else even(n - 1)


class Spring:
    RATE = K

    def __init__(self, stiffness):
        self.stiffness = stiffness
        self.itself = self

    def force(self, a):
        return {"y": self.stiffness * a}

    def rated(self, a):
        return {"y": self.RATE * a}

    __call__ = force

    @staticmethod
    def below(a):
        return below(a)


@dataclasses.dataclass
class Rod:
    length: float = 1.0
    table: list = dataclasses.field(default_factory=lambda: [K])


class Kind(enum.Enum):
    SOFT = K
    HARD = 100.0


def closing_over(thing):
    def model(a):
        return {"y": a * np.sum(thing)}

    return model


def with_defaults(a, k=K, *, table=ARRAY):
    return {"y": k * a + table.sum()}


@functools.cache
def cached(a):
    return K * a


@contextlib.contextmanager
def opened():
    yield K


@functools.singledispatch
def dispatched(a):
    return K * a


def within(a):
    with opened() as k:
        return k * a


def out_of_the_script(a):
    import __main__

    return __main__.K * a


def decorated(function):
    @functools.wraps(function)
    def outer(**inputs):
        return function(**inputs)

    return outer


def in_a_namespace(**names):
    """As a notebook, or `exec`, defines a function."""
    space = dict(names)
    exec(f"import numpy as np\nL = {K!r}", space)
    exec("def length(a):\n    return L * a\ndef model(a):\n    return {'y': np.sin(length(a))}", space)
    return space["model"]


def jitted():
    from numba import njit

    return njit(number)


def splined():
    from scipy.interpolate import CubicSpline

    return CubicSpline(np.arange(5.0), K * np.arange(5.0) ** 2)


def framed():
    import pandas as pd

    return pd.DataFrame({"k": [K, 1.0], "name": ["a", "b"]})


def models():
    """A model for each kind of reach."""
    loop: list = [K]
    loop.append(loop)
    return {
        "global": number,
        "helper": below,
        "mutual_recursion": even,
        "argv": lambda a: ARGUMENT * a,
        "argv_in_the_call": lambda a: float(sys.argv[1]) * a,
        "set": lambda a: len(NAMES) * a,
        "nested_containers": lambda a: NESTED["masses"][0] * a,
        "array": lambda a: ARRAY.sum() * a,
        "array_of_objects": lambda a: OBJECTS[0] * a,
        "named_tuple": lambda a: POINT.y * a,
        "constant": (lambda a: 3 * a) if CHANGED else (lambda a: 2 * a),
        "defaults": with_defaults,
        "closure": closing_over(K),
        "closure_with_a_big_array": closing_over(ARRAY),
        "closure_with_a_loop": closing_over(loop),
        "bound_method": Spring(K).force,
        "class_attribute": Spring(1.0).rated,
        "static_method": Spring.below,
        "callable_object": Spring(K),
        "partial": functools.partial(with_defaults, k=K),
        "dataclass": lambda a: Rod().length * a,
        "enum": lambda a: Kind.SOFT.value * a,
        "cached": lambda a: cached(a),
        "decorated": decorated(number),
        "context_manager": within,
        "single_dispatch": lambda a: dispatched(a),
        "import_of_the_script": out_of_the_script,
        "module_made_by_a_call": lambda a: MADE.K * a,
        "long_number": lambda a: LONG % 10 * a,
        "notebook": in_a_namespace(__name__="__main__"),
        "bare_namespace": in_a_namespace(),
        "numba": jitted(),
        "spline": closing_over(splined()),
        "data_frame": closing_over(framed()),
    }


if __name__ == "__main__":
    found = {name: find_model(model, Path()).reached() for name, model in models().items()}
    found |= {name: find_model(f"{name}/model.py:model", Path()).reached() for name in FILES}
    print(json.dumps({name: [reach.digest, reach.unknown, sorted(reach.parts)] for name, reach in found.items()}))
