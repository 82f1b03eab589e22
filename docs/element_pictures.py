"""A picture of each scene in `element_scenes` as SVG: bodies grey, ground hatched, the element itself in colour."""

import math

import numpy as np

SIZE, MARGIN = (260, 180), 28.0  # pixels
BODY, GROUND, OWN = "#9aa5b1", "#5b6673", "#c2410c"
TURNING = set("Torque SectionTorque UserTorque AngleDrive TorsionSpring NonlinearTorsionSpring Actuator Latch StopWhen Lock".split())
GROUNDED = {"DiscPlane", "PointPlane", "BoxPlane", "SpherePlane", "ThinDiscPlane"}  # b is a plane of ground


def flat(place) -> np.ndarray:
    """A place on the page: x to the right and y upwards; in space y goes to the back, obliquely, and z upwards."""
    if len(place) == 2:
        return np.array(place, float)
    x, y, z = (float(value) for value in place)
    return np.array((x + 0.35 * y, z + 0.25 * y))


class Page:
    """Shapes in metres, put on the page as large as they fit; what is smaller than `least` (m) is not drawn any larger."""

    least = 0.25

    def __init__(self) -> None:
        self.shapes: list[tuple] = []

    def line(self, points, color=BODY, width=2.0, dash="") -> None:
        """A broken line."""
        self.shapes.append(("line", [np.asarray(p, float) for p in points], color, width, dash))

    def circle(self, centre, radius, color=BODY, width=2.0, fill="none") -> None:
        """A circle in metres."""
        self.shapes.append(("circle", [np.asarray(centre, float)], float(radius), color, width, fill))

    def dot(self, place, color=BODY, pixels=4.0, fill=True) -> None:
        """A dot in pixels."""
        self.shapes.append(("dot", [np.asarray(place, float)], pixels, color, fill))

    def arrow(self, start, end, color=OWN) -> None:
        """An arrow."""
        self.shapes.append(("arrow", [np.asarray(start, float), np.asarray(end, float)], color))

    def turn(self, centre, radius, color=OWN) -> None:
        """An arrow that turns about a place."""
        angles = np.linspace(-0.6, 1.9, 24)
        points = [np.asarray(centre, float) + radius * np.array((math.cos(a), math.sin(a))) for a in angles]
        self.line(points[:-2], color, 2.5)
        self.arrow(points[-4], points[-1], color)

    def corners(self) -> tuple[np.ndarray, np.ndarray]:
        """What the shapes take."""
        low, high = [], []
        for kind, points, *rest in self.shapes:
            reach = rest[0] if kind == "circle" else 0.0
            low += [p - reach for p in points]
            high += [p + reach for p in points]
        return np.min(low, axis=0), np.max(high, axis=0)

    def svg(self, title: str) -> str:
        """The page."""
        low, high = self.corners()
        room = np.array(SIZE) - 2.0 * MARGIN
        scale = float(np.min(room / np.maximum(high - low, self.least)))
        shift = np.array(SIZE) / 2.0 - scale * (low + high) / 2.0

        def at(p):
            x, y = scale * p + shift
            return f"{x:.1f},{SIZE[1] - y:.1f}"

        out = []
        for kind, points, *rest in self.shapes:
            where = [at(p) for p in points]
            x, y = where[0].split(",")
            if kind == "line":
                color, width, dash = rest
                more = f' stroke-dasharray="{dash}"' if dash else ""
                out.append(f'<polyline points="{" ".join(where)}" fill="none" stroke="{color}" stroke-width="{width}"{more}/>')
            elif kind == "circle":
                radius, color, width, fill = rest
                out.append(f'<circle cx="{x}" cy="{y}" r="{scale * radius:.1f}" fill="{fill}" stroke="{color}" stroke-width="{width}"/>')
            elif kind == "dot":
                pixels, color, filled = rest
                paint = color if filled else "white"
                out.append(f'<circle cx="{x}" cy="{y}" r="{pixels}" fill="{paint}" stroke="{color}" stroke-width="2"/>')
            else:
                out.append(
                    f'<polyline points="{" ".join(where)}" fill="none" stroke="{rest[0]}" stroke-width="2.5" marker-end="url(#tip)"/>'
                )
        tip = (
            f'<marker id="tip" markerWidth="8" markerHeight="8" refX="4" refY="3" orient="auto"><path d="M0,0 L6,3 L0,6 z" fill="{OWN}"/>'
            "</marker>"
        )
        shapes = "\n".join(out)
        return (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{SIZE[0]}" height="{SIZE[1]}" viewBox="0 0 {SIZE[0]} {SIZE[1]}" role="img">\n'
            f"<title>{title}</title>\n<defs>{tip}</defs>\n{shapes}\n</svg>\n"
        )


def rotated(body) -> np.ndarray:
    """Rotation of a body at the start, as a matrix."""
    angle = float(getattr(body, "angle", 0.0) or 0.0)
    dimension = len(body.position) if hasattr(body, "position") else 2
    if dimension == 3:
        return np.eye(3)
    return np.array(((math.cos(angle), -math.sin(angle)), (math.sin(angle), math.cos(angle))))


def place(point) -> np.ndarray:
    """Where a point is at the start, on the page."""
    found = point.place_at_start()
    if found is None:  # of a point mass, or on a flexible body by the arc length
        body = point.body
        return flat(np.array(body.position, float) + (np.array(body.along, float) * float(point.at[0]) if hasattr(body, "along") else 0.0))
    return flat([float(np.ravel(x)[0]) for x in found])


def draw_body(page: Page, body, color: str) -> None:
    """A line through the points of a rigid body, or the centre line of a flexible one."""
    if hasattr(body, "along"):
        start, along = np.array(body.position, float), np.array(body.along, float)
        nodes = [flat(start + along * float(body.length) * k / body.elements) for k in range(body.elements + 1)]
        page.line(nodes, color, 5.0)
        for node in nodes:
            page.dot(node, color, 3.0)
        return
    if hasattr(body, "positions"):
        for centre, radius in zip(body.positions, np.broadcast_to(body.radius, len(body.positions)), strict=True):
            page.circle(flat(centre), float(radius), color, 3.0)
        return
    points = [place(point) for key, point in body.points.items() if not key.startswith("#")]
    centre = flat([float(x) for x in body.position])
    if len(points) == 1:
        points = [centre, *points]
    if points:
        page.line(points, color, 7.0)
    page.dot(centre, color, 6.0 if not points else 4.0, fill=not points)


def ground(page: Page, at: np.ndarray, half: float = 0.12) -> None:
    """A hatched line."""
    x, y = at
    page.line([(x - half, y), (x + half, y)], GROUND, 2.0)
    for k in range(6):
        left = x - half + 2.0 * half * k / 6
        page.line([(left, y - 0.35 * half), (left + 0.3 * half, y)], GROUND, 1.0)


def zigzag(a: np.ndarray, b: np.ndarray, turns: int = 6, high: float = 0.04) -> list[np.ndarray]:
    """A coil between two places."""
    across = np.array((-(b - a)[1], (b - a)[0])) / max(float(np.linalg.norm(b - a)), 1e-12)
    inner = [a + (b - a) * (0.15 + 0.7 * (k + 0.5) / (2 * turns)) + across * high * (-1) ** k for k in range(2 * turns)]
    return [a, a + 0.15 * (b - a), *inner, a + 0.85 * (b - a), b]


def axis_of(element, dimension: int) -> np.ndarray:
    """The element's axis on the page, of length one."""
    axis = next((getattr(element, key) for key in ("axis", "axis_a") if isinstance(getattr(element, key, None), tuple)), None)
    if axis is None or len(axis) != dimension:
        axis = (1.0, 0.0) if dimension == 2 else (0.0, 1.0, 0.0)
    way = flat(axis)
    return way / max(float(np.linalg.norm(way)), 1e-12)


def rail(page: Page, at: np.ndarray, way: np.ndarray, half: float = 0.35) -> None:
    """Two walls beside a place."""
    across = np.array((-way[1], way[0])) * 0.07
    for side in (across, -across):
        page.line([at + side - way * half, at + side + way * half], OWN, 2.5)


def end(element, key: str) -> np.ndarray | None:
    """An end of an element on the page: its point, or the place of its body."""
    found = getattr(element, key, None)
    if hasattr(found, "place_at_start"):
        return place(found)
    return flat([float(x) for x in found.position]) if hasattr(found, "position") else None


def draw_element(page: Page, kind: str, element, dimension: int) -> None:
    """The element's symbol."""
    a, b = end(element, "a"), end(element, "b")
    here = next((x for x in (a, b) if x is not None), np.zeros(2))
    way = axis_of(element, dimension)
    if kind.startswith("Clearance"):
        if kind == "ClearanceTranslational":
            rail(page, here, way)
            corners = ((-0.2, -0.045), (0.2, -0.045), (0.2, 0.055), (-0.2, 0.055), (-0.2, -0.045))
            page.line([here + corner for corner in corners], OWN, 2.5)
            return
        if kind == "ClearanceCylindrical":
            rail(page, here, way, 0.2)
        page.circle(here, 0.09, OWN, 3.0)
        page.circle(here + np.array((0.0, -0.025)), 0.06, OWN, 2.0, "#fde3d3")
        if "film" in kind:
            page.circle(here, 0.075, "#2563eb", 2.0)
    elif kind in ("Spring", "NonlinearSpring"):
        page.line(zigzag(a, b), OWN, 2.5)
    elif kind in ("Distance", "DistanceDrive"):
        page.line([a, b], OWN, 3.0)
        if kind == "DistanceDrive":
            page.arrow(a + 0.3 * (b - a), a + 0.7 * (b - a))
    elif kind in ("Translational", "RevoluteTranslational", "Cylindrical", "Screw", "FrictionGuide"):
        rail(page, b if b is not None else here, way)
        if kind in ("RevoluteTranslational", "Cylindrical", "Screw"):
            page.circle(b, 0.06, OWN, 2.5, "white")
        if kind == "Screw":
            page.turn(b, 0.14)
    elif kind == "Planar":
        page.line([here + flat(c) for c in ((-0.4, -0.4, 0), (0.4, -0.4, 0), (0.4, 0.4, 0), (-0.4, 0.4, 0), (-0.4, -0.4, 0))], OWN, 2.5)
    elif kind == "SlideDrive":
        page.arrow(a, b)
    elif kind in ("Gear", "GearMesh", "RackPinion", "Rack"):
        radius = getattr(element, "radius", None)
        if radius is None:
            one, two = element.teeth
            share = one / (one + two)
            page.circle(a, share * np.linalg.norm(b - a), OWN, 3.0)
            page.circle(b, (1 - share) * np.linalg.norm(b - a), OWN, 3.0)
        else:
            page.circle(a, float(radius), OWN, 3.0)
            page.line([b - 0.5 * way, b + 0.5 * way], OWN, 3.0)
    elif kind == "Cam":
        angles = np.linspace(0.0, 2.0 * math.pi, 60)
        page.line([a + (0.3 + 0.05 * math.sin(t - math.pi / 2)) * np.array((math.cos(t), math.sin(t))) for t in angles], OWN, 3.0)
    elif kind == "PointForce":
        page.arrow(a, a + np.array((0.0, 0.35)))
    elif kind == "Propellant":
        page.arrow(a, a + np.array((0.0, 0.3)))
        page.line([a + (-0.04, -0.1), a, a + (0.04, -0.1)], OWN, 2.5)
    elif kind in TURNING:
        page.turn(np.zeros(2) if kind != "SectionTorque" else a, 0.16)
    elif kind in ("UserForce", "ReducedInertia"):
        page.arrow(np.zeros(2) if a is None else a, b if b is not None else np.array((0.6, 0.0)))
    elif kind in ("DiscDisc", "SphereSphere"):
        page.circle(a, float(element.radius_a), OWN, 3.0)
        page.circle(b, float(element.radius_b), OWN, 3.0)
    elif kind in ("DiscPlane", "SpherePlane", "SphereCylinder"):
        page.circle(a, float(element.radius), OWN, 3.0)
        if kind == "SphereCylinder":
            page.circle(b, float(element.cylinder_radius), OWN, 3.0)
    elif kind == "GranularContact":
        draw_body(page, element.grains, OWN)
        for point, normal in element.walls:
            way = 0.7 * np.array((normal[1], -normal[0]))
            page.line([flat(point), flat(point + way if way.sum() > 0.0 else point - way)], GROUND, 3.0)
    elif kind.startswith("Grains"):
        size = next((float(getattr(element, key)) for key in ("radius", "cylinder_radius") if hasattr(element, key)), 0.0)
        turn = rotated(element.b.body)
        draw_body(page, element.grains, OWN)
        if size:
            page.circle(b, size, OWN, 3.0)
        p, q = (float(x) for x in getattr(element, "half_lengths", (0.4, 0.0)))
        if not size:
            page.line([b + turn @ np.array(c) for c in ((p, q), (-p, q), (-p, -q), (p, -q), (p, q))], OWN, 3.0)
    elif kind == "ThinDiscPlane":
        page.line([a + float(element.radius) * np.array((math.cos(t), math.sin(t))) for t in np.linspace(0, 2 * math.pi, 60)], OWN, 3.0)
    elif kind == "BoxPlane":
        turn = rotated(element.a.body)
        p, q = (float(x) for x in element.half_lengths)
        page.line([a + turn @ np.array(c) for c in ((p, q), (-p, q), (-p, -q), (p, -q), (p, q))], OWN, 3.0)
    elif kind in ("Fixed", "Clamp", "Bushing"):
        page.line([here + (-0.05, -0.05), here + (-0.05, 0.05), here + (0.05, 0.05), here + (0.05, -0.05), here + (-0.05, -0.05)], OWN, 3.0)
    elif kind == "JointFriction":
        page.circle(np.zeros(2), 0.06, OWN, 3.0)
        page.turn(np.zeros(2), 0.14)
    elif b is not None or a is not None:
        page.dot(here, OWN, 7.0, fill=False)


def picture(kind: str, system) -> str:
    """SVG of the scene of one element."""
    page = Page()
    own = next(x for x in (*system.bodies, *system.elements) if x.name == "it")
    points = [point for x in system.elements for key in ("a", "b") if hasattr(point := getattr(x, key, None), "body")]
    for point in points:
        if point.body is system.ground:
            ground(page, place(point), 0.6 if kind in GROUNDED else 0.12)
    for body in (x for x in system.bodies if hasattr(x, "position") or hasattr(x, "positions")):
        draw_body(page, body, OWN if body is own else BODY)
    if own not in system.bodies:
        draw_element(page, kind, own, system.dimension)
    return page.svg(kind)


__all__ = ["picture"]
