"""Where bodies are at the times of a run, from the numbers that `run(..., poses=True)` keeps of each."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Poses:
    """Places and rotations of a rigid body's frame, in which its points and shapes are given; of grains an axis more, behind times.

    Attributes
    ----------
    position : ndarray ([n,] points, 3)
        Of the frame's origin in the inertial frame, m; z is 0 in the plane.
    rotation : ndarray ([n,] points, 3, 3)
        Rotation matrices: their columns are the frame's axes in the inertial frame, so that a point x of the body is at
        ``position + rotation @ x``. The identity for a point mass, and for grains in space, that look the same from all sides.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rod = s.body("rod", mass=1.0, inertia=1 / 12, position=(0.5, 0.0), points={"O": (-0.5, 0.0)})
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rod["O"]))
    >>> found = fm.run(s, end=0.2, points=3, outputs=["rod.y"], poses=True)
    >>> poses = found.poses("rod")
    >>> poses.position.shape, poses.rotation.shape
    ((3, 3), (3, 3, 3))
    """

    position: np.ndarray
    rotation: np.ndarray


@dataclass(frozen=True)
class CentreLine:
    """The centre line of a cable or a beam.

    Attributes
    ----------
    s : ndarray (samples,)
        Places along it, arc length of the undeformed line over its length, from 0 to 1.
    position : ndarray ([n,] points, samples, 3)
        m
    nodes : ndarray ([n,] points, nodes, 3)
        Places of the element's nodes, m.
    section : ndarray ([n,] points, samples, 3, 2) or None
        Of a beam: axes y and z of the sections, as columns; they are orthonormal but for the section's strains. None for a cable.
    slope : ndarray ([n,] points, samples, 3)
        Derivative of the position by s, m; where elements meet that of the later one.

    Examples
    --------
    >>> import flexmbd as fm
    >>> s = fm.System(gravity=(0.0, -9.81))
    >>> rope = s.cable("rope", length=1.0, elements=2, section=fm.Section(1e-4, 1e-9), material=fm.Material(1e7, 0.3, 1000.0))
    >>> pin = s.add(fm.Revolute("pin", s.ground.at(0.0, 0.0), rope["start"]))
    >>> found = fm.run(s, end=0.05, points=2, outputs=["rope.end.y"], poses=True)
    >>> line = found.centre_line("rope")
    >>> line.position.shape, line.nodes.shape
    ((2, 17, 3), (2, 3, 3))
    """

    s: np.ndarray
    position: np.ndarray
    nodes: np.ndarray
    section: np.ndarray | None = None
    slope: np.ndarray | None = None


def in_space(vectors):
    """Vectors of two or three components as such of three."""
    return vectors if vectors.shape[-1] == 3 else np.concatenate([vectors, np.zeros((*vectors.shape[:-1], 1))], axis=-1)


def of_frame(numbers, dimension, offset):
    """`Poses` by numbers ([n,] points, count): place of the centre of mass, then axes; `offset` is that centre in the frame."""
    rotation = np.broadcast_to(np.eye(3), (*numbers.shape[:-1], 3, 3)).copy()
    if numbers.shape[-1] > dimension:
        axes = numbers[..., dimension:].reshape(*numbers.shape[:-1], -1, dimension)  # one after another
        if dimension == 2:
            axes = np.stack([axes[..., 0, :], axes[..., 0, ::-1] * (-1.0, 1.0)], axis=-2)
        rotation[..., :dimension, :dimension] = np.swapaxes(axes, -1, -2)
    arm = in_space(np.stack(np.broadcast_arrays(*offset), axis=-1).astype(float))
    if arm.ndim > 1:  # one a sample
        arm = arm[:, None]
    return Poses(in_space(numbers[..., :dimension]) - (rotation @ arm[..., None])[..., 0], rotation)


def of_grains(numbers, dimension):
    """`Poses` ([n,] points, grains, ...) by numbers ([n,] points, count): three of each grain, in the plane place and angle."""
    own = numbers.reshape(*numbers.shape[:-1], -1, 3)
    if dimension == 3:
        return Poses(own, np.broadcast_to(np.eye(3), (*own.shape, 3)).copy())
    axes = np.stack([own[..., 0], own[..., 1], np.cos(own[..., 2]), np.sin(own[..., 2])], axis=-1)
    return of_frame(axes, 2, (0.0, 0.0))


def along(vectors, stride, weights):
    """Vectors at places of all elements, one element after another, the last place of each but the last being the first of the next.

    Parameters
    ----------
    vectors : ndarray ([n,] points, vectors, dimension)
        Those of all nodes.
    stride : int
        Vectors from the first of an element to the first of the next.
    weights : ndarray (places, vectors) or (n, 1, 1, places, vectors)
        Of an element's vectors.
    """
    width = weights.shape[-1]
    first = np.arange(0, vectors.shape[-2] - width + 1, stride)
    found = np.einsum("...pv,...vi->...pi", weights, vectors[..., first[:, None] + np.arange(width), :])
    inner = found[..., :-1, :]
    inner = inner.reshape(*inner.shape[:-3], -1, inner.shape[-1])
    return in_space(np.concatenate([inner, found[..., -1, -1:, :]], axis=-2))
