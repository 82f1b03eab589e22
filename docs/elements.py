"""Write docs/elements.md, what a mechanism can be made of: each element with a picture, arguments, units, outputs; motions and laws.

python docs/elements.py          write it, and the pictures in docs/images/elements
"""

import inspect
import re
import sys
from pathlib import Path

import flexmbd as fm

sys.path.insert(0, str(Path(__file__).parent))
from element_pictures import picture
from element_scenes import SCENES

PAGE = Path(__file__).with_name("elements.md")
PICTURES = Path(__file__).parent / "images" / "elements"
HEAD = """# What a mechanism can be made of

Written by `python docs/elements.py` from the classes and their docstrings; do not edit. Everything is in SI. `system.body(...)`,
`system.point_mass(...)`, `system.cable(...)` and `system.beam(...)` add bodies; all else is added by `system.add(fm.Name("name", ...))`.
Numbers may be floats, or arrays over samples. A point is `body["A"]`, `body.centre`, `body.at(x, y)` or `system.ground.at(x, y)`.
Names of outputs begin with the name of their body or element: `rod.x`, `pin.force`. Each is a history, or a number with a reduction:
`pin.force:max` ([models.md](models.md)). `uqmbd outputs study.toml` lists those of a model. Signs: [conventions.md](conventions.md).
"""
SECTIONS = {
    "Bodies": "RigidBody SpatialBody PointMass Grains AncfCable AncfBeam",
    "Ideal joints": (
        "Revolute Translational RevoluteTranslational Fixed Distance Rod Spherical Universal Cylindrical Planar Screw Gear RackPinion Cam "
        "Clamp SlidingJoint JointFriction"
    ),
    "Drives": "AngleDrive SlideDrive DistanceDrive",
    "Springs, dampers, elastic teeth": "Spring TorsionSpring NonlinearSpring NonlinearTorsionSpring Bushing GearMesh Rack",
    "Forces and control": "PointForce Torque SectionTorque UserForce UserTorque Actuator ReducedInertia Propellant",
    "Switches and locks": "Latch StopWhen Lock",
    "Contacts": (
        "DiscPlane DiscDisc PointPlane BoxPlane SpherePlane SphereSphere SphereCylinder ThinDiscPlane CableContact GranularContact "
        "GrainsPlane GrainsRound GrainsCylinder GrainsBox"
    ),
    "Joints with clearance": (
        "ClearanceRevolute ClearanceRevolute_with_a_film ClearanceTranslational FrictionGuide ClearanceSpherical ClearanceCylindrical"
    ),
}
OTHERS = {  # what elements are given
    "Motions and tables": "ConstantSpeed Harmonic Polynomial Fourier Table Switched",
    "Controllers and what they measure": "PID AngleOf PlaceOf",
    "Contact laws": (
        "Impenetrable Hertz HuntCrossley LankaraniNikravesh Flores HuGuo Gonthier HerbertMcWhannell LeeWang KelvinVoigt Johnson "
        "Radzimovsky Goldsmith Esdu78035"
    ),
    "Friction laws": "CoulombExponential Ambrosio Threlfall Stribeck LuGre",
    "Oil films": (
        "LongFilm ShortFilm PinkusSternlicht ReynoldsFilm TiltedFilm SphericalFilm FloresTransition SmoothTransition GreenwoodTripp "
        "MixedFriction FilmTemperature Vogel Walther"
    ),
    "Sections, materials, wear": "Section Material WornProfile",
}
MADE = {"RigidBody": "body", "SpatialBody": "body", "PointMass": "point_mass", "Grains": "grains", "AncfCable": "cable", "AncfBeam": "beam"}
WORDS = {  # of arguments whose class has no section of them
    "name": "Its outputs begin with it.",
    "a": "Point (body) of the first end.",
    "b": "Point (body) of the second end.",
    "axis": "Direction in the frame of a's body; in the plane (1, 0), in space given.",
    "axis_b": "The same direction in the frame of b's body; left out it follows from the start.",
    "angle": "rad.",
    "motion": "What it follows over time in s: `ConstantSpeed`, `Harmonic`, `Table` ...",
    "length": "m.",
    "radius": "m.",
    "radius_a": "m.",
    "radius_b": "m.",
    "law": "Contact law such as `HuntCrossley`, or `Impenetrable`.",
    "friction": "Friction law such as `Ambrosio`; left out there is none.",
    "normal": "Outward normal of the plane, in the frame of b's body.",
    "minimum_impact_velocity": "Smallest velocity of approach by which laws with restitution are scaled, m/s.",
    "fx": "N, a number or a motion.",
    "fy": "N, a number or a motion.",
    "fz": "N, a number or a motion; in space.",
    "follower": "Whether it turns with the body.",
    "moment": "N m, a number or a motion.",
    "of": "What is measured: `AngleOf`, `PlaceOf`.",
    "value": "Where it acts: rad, m.",
    "rising": "Whether it acts where the value is passed upwards.",
    "exponent": "1.",
    "restitution": "Coefficient of restitution, 0 to 1.",
    "calibrated": "Whether the damping is corrected so that the law gives the restitution asked for.",
    "bearing_radius": "m.",
    "journal_radius": "m.",
    "bearing": "`Material` of the bearing.",
    "journal": "`Material` of the journal.",
    "period": "s, or rad.",
    "values": "At equal steps over one period.",
    "amplitude": "Of the unit of what it drives.",
    "frequency": "rad/s.",
    "phase": "rad.",
    "offset": "Of the unit of what it drives.",
    "coefficients": "c0, c1, ... of the powers of time.",
    "rate": "rad/s.",
    "speed": "rad/s, m/s.",
    "start": "rad, m.",
}
OWN = {  # class.argument, where the words above do not fit
    "Spring.stiffness": "N/m.",
    "Spring.damping": "N s/m.",
    "Spring.length": "Unloaded length, m.",
    "TorsionSpring.stiffness": "N m/rad.",
    "TorsionSpring.damping": "N m s/rad.",
    "TorsionSpring.angle": "Unloaded angle of b against a, rad.",
    "Fixed.angle": "Angle of b's frame against a's, rad.",
    "Translational.angle": "Angle of b's frame against a's, rad.",
    "Distance.length": "m; left out that at the start.",
    "Universal.axis_b": "Direction in the frame of b's body, at right angles to the first.",
    "Clamp.axis": "Direction of the cable there, in the frame of a's body; left out that at the start.",
    "ThinDiscPlane.axis": "Axis of the disc, in the frame of a's body.",
    "SectionTorque.a": "Point of a cable.",
    "PlaceOf.axis": "Direction in the frame of a's body along which the place is measured.",
    "AngleOf.axis": "In space: direction in a's frame that a joint keeps on b's body.",
    "Grains.positions": "Of each grain, m.",
    "Grains.velocities": "Of each grain, m/s; left out all are at rest.",
    "Grains.rates": "Angular velocity of each grain, rad/s, in space three numbers; left out none turns.",
    "Grains.radius": "m; one number for all, or a list with one for each.",
    "Grains.mass": "kg; one number for all, or a list with one for each.",
    "Grains.inertia": "kg m², one number for all, or a list with one for each; left out they are solid.",
    "Johnson.damping": 'Name of the factor of damping, such as "lankarani_nikravesh"; left out there is none.',
}
POWER_LAW = "N/m^n, with the exponent n."


def table_of(kind: object) -> dict[str, str]:
    """What the section "Parameters" (or "Attributes") of a docstring says of each argument."""
    found: dict[str, str] = {}
    kinds = reversed(kind.__mro__) if inspect.isclass(kind) else (kind,)
    for one in kinds:
        text = inspect.cleandoc(getattr(one, "__doc__", None) or "")
        _, _, rows = re.sub("Attributes\n-", "Parameters\n-", text).partition("Parameters\n----------\n")
        rows = re.split(r"\n\n\w+\n-{3,}\n", rows)[0]
        for block in re.split(r"\n(?=\S)", rows):
            head, _, body = block.partition("\n")
            names, _, type_words = head.partition(" : ")
            words = " ".join(line.strip() for line in body.splitlines()).strip() or type_words.strip()
            for name in names.split(","):
                found[name.strip()] = words
    return found


def summary(kind: object) -> str:
    """Docstring before its sections."""
    text = inspect.cleandoc(kind.__doc__ or "")
    return " ".join(re.split(r"\n\n(?:Parameters|Attributes|Raises|Returns|Notes|Examples)\n-", text)[0].split())


def arguments(name: str) -> list[tuple[str, str, str]]:
    """Name, default and meaning of each argument."""
    kind = getattr(fm, name)
    call = getattr(fm.System, MADE[name]) if name in MADE else kind
    words = table_of(call)
    rows = []
    for key, one in inspect.signature(call).parameters.items():
        if key == "self" or one.kind is one.VAR_KEYWORD:
            continue
        default = "" if one.default is one.empty or "factory" in str(one.default) else f"`{shown(one.default)}`"
        rows.append((key, default, meaning(name, kind, key, words)))
    known = {key for key, *_ in rows}
    return rows + [(key, "", text) for key, text in words.items() if name in MADE and key and key not in known]


def meaning(name: str, kind: object, key: str, words: dict[str, str]) -> str:
    """Words for an argument."""
    if f"{name}.{key}" in OWN:
        return OWN[f"{name}.{key}"]
    if key in words:
        return words[key]
    if key == "stiffness" and any(one.__name__ == "PowerLaw" for one in inspect.getmro(kind)):
        return POWER_LAW
    if key == "damping" and any(one.__name__ == "CylindricalLaw" for one in inspect.getmro(kind)):
        return OWN["Johnson.damping"]
    return WORDS.get(key, "")


def shown(value: object) -> str:
    """A default as it is written."""
    return f"{float(value):.4g}" if isinstance(value, float) else f'"{value}"' if isinstance(value, str) else str(value)


def grouped(keys: dict[str, tuple[str, str]]) -> list[tuple[str, str, str]]:
    """Outputs, those that differ by an axis, a point or a number of a contact point in one row."""
    rows: dict[tuple[str, str], list[str]] = {}
    for key, (unit, words) in keys.items():
        part, dot, last = key.rpartition(".")
        part = "N" if part.isdigit() else "POINT" if part else ""
        words = re.sub(r", (?:of the point \w+|(?:place of contact|grain|wall) \d+)$", "", words)
        words = re.sub(r"\b[xyz] (axis|component)", r"\1", words)
        rows.setdefault((unit, words), [])
        full = f"{part}{dot}{last}"
        if full not in rows[unit, words]:
            rows[unit, words].append(full)
    return [(" ".join(f"`{key}`" for key in names), unit, words) for (unit, words), names in rows.items()]


def outputs(name: str) -> list[tuple[str, str, str]]:
    """Key, unit and meaning of the outputs of a scene's element."""
    system = SCENES[name]()
    units = {key: unit for key, unit in fm.output_units(system).items() if key.startswith("it.")}
    words = fm.output_meanings(system, units)
    return grouped({key[3:]: (unit, words.get(key, "")) for key, unit in units.items()})


def table(head: str, rows: list[tuple[str, ...]]) -> str:
    """Markdown table."""
    lines = [f"| {' | '.join(x.replace('|', '/').replace('``', '`') for x in row)} |" for row in rows]
    return "\n".join([head, "|" + "---|" * (head.count("|") - 1), *lines])


def entry(name: str) -> str:
    """One element or law."""
    plain = name.partition("_with")[0]
    title = name.replace("_", " ")
    kind = getattr(fm, plain)
    parts = [f"### {title}", summary(kind).replace("``", "`")]
    scene = SCENES.get(name)
    if scene is not None:
        dimensions = getattr(kind, "dimensions", ())
        where = {(2,): "In the plane.", (3,): "In space.", (2, 3): "In the plane and in space."}.get(tuple(dimensions), "")
        parts.append(f"![{title}](images/elements/{name}.svg)" + (f" {where}" if where else ""))
    if name == plain:
        call = f"system.{MADE[name]}" if name in MADE else f"fm.{name}"
        rows = [(f"`{key}`", default, words) for key, default, words in arguments(name)]
        parts.append(f"`{call}({', '.join(key for key, *_ in arguments(name))})`\n\n" + table("| argument | default | meaning |", rows))
    if scene is not None:
        rows = outputs(name)
        parts.append(table("| output | unit | meaning |", rows) if rows else "No outputs of its own.")
    return "\n\n".join(parts) + "\n"


def energies() -> str:
    """Outputs of the whole mechanism."""
    system = SCENES["BoxPlane"]()
    units = {key: unit for key, unit in fm.output_units(system).items() if key.startswith("energy.")}
    words = fm.output_meanings(system, units)
    rows = [(f"`{key}`", unit, words[key]) for key, unit in units.items()]
    return "## The whole mechanism\n\n" + table("| output | unit | meaning |", rows) + "\n"


def page() -> str:
    """The whole page."""
    parts = [HEAD]
    for sections in (SECTIONS, OTHERS):
        for title, names in sections.items():
            parts += [f"## {title}\n", *map(entry, names.split())]
        if sections is SECTIONS:
            parts.append(energies())
    return "\n".join(parts).rstrip() + "\n"


def pictures() -> dict[str, str]:
    """SVG of each scene."""
    return {name: picture(name.partition("_with")[0] if "film" not in name else name, scene()) for name, scene in SCENES.items()}


if __name__ == "__main__":
    PAGE.write_text(page(), encoding="utf-8")
    PICTURES.mkdir(parents=True, exist_ok=True)
    for name, svg in pictures().items():
        (PICTURES / f"{name}.svg").write_text(svg, encoding="utf-8")
