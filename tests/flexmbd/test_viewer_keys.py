"""Keys of motions and packed numbers: what is kept is the motion within what is said."""

import base64

import numpy as np
import pytest
from hypothesis import given
from hypothesis import settings as few
from hypothesis import strategies as st
from scipy.spatial.transform import Rotation

from flexmbd.viewer.keys import Track, chosen, quaternions, slerp
from flexmbd.viewer.packing import packed, unpacked


@given(st.integers(1, 40), st.integers(1, 5), st.integers(0, 2**32 - 1), st.floats(-6, 6))
@few(max_examples=50)
def test_packed_numbers_come_back_within_half_a_level(times, channels, seed, size):
    draws = np.random.default_rng(seed)
    values = 10.0**size * (draws.normal(size=(times, channels)) + draws.normal(size=channels))
    values[:, 0] = values[0, 0]  # one that does not move
    back = unpacked(packed(values), times)
    room = np.ptp(values, axis=0) / 131070 + 1.1e-8 * np.abs(values).max()  # nine digits of low and span
    assert np.all(np.abs(back - values) <= room) and np.all(back[:, 0] == back[0, 0])


def test_what_does_not_move_takes_no_room():
    assert packed(np.full((1000, 3), 0.25)) == {"low": [0.25] * 3, "span": [0] * 3, "data": ""}
    assert len(base64.b64decode(packed(np.arange(20.0)[:, None])["data"])) == 40


def test_quaternions_follow_each_other_and_turn_at_a_constant_rate():
    angle = np.linspace(0.0, 30.0, 200)
    axis = np.array([1.0, -2.0, 0.5]) / np.linalg.norm([1.0, -2.0, 0.5])
    found = quaternions(Rotation.from_rotvec(angle[:, None] * axis).as_matrix())
    assert np.einsum("ti,ti->t", found[1:], found[:-1]).min() > 0.0
    share = np.array([0.25, 0.5])
    half = Rotation.from_quat(slerp(found[:1], found[10:11], share[:, None])[:, 0])
    assert np.allclose(half.as_matrix(), Rotation.from_rotvec(share[:, None] * angle[10] * axis).as_matrix(), atol=1e-12)


def test_a_straight_motion_needs_two_keys_and_a_bounce_three():
    time = np.linspace(0.0, 1.0, 501)
    straight = Track(time, np.outer(time, [1.0, 2.0, 0.0])[:, None])
    assert chosen([straight], 1e-6)[0].tolist() == [0, 500]
    bounce = Track(time, np.abs(time - 0.3)[:, None, None] * np.ones(3))
    assert chosen([straight, bounce], 1e-6)[0].tolist() == [0, 150, 500]
    turning = Track(time, np.zeros((501, 1, 3)), quaternions(Rotation.from_rotvec(np.outer(time, [0.0, 0.0, 2.0])).as_matrix()), 3.0)
    assert chosen([turning], 1e-6)[0].tolist() == [0, 500]


@pytest.mark.parametrize("tolerance", [1e-2, 1e-3, 1e-4])
def test_between_keys_a_circle_is_as_near_as_is_said(tolerance):
    """Of a circle of radius 1 a chord over an angle a is off by 1 - cos(a/2): so many keys are needed, and no more than twice as many."""
    time = np.linspace(0.0, 2.0 * np.pi, 2001)
    circle = Track(time, np.stack([np.cos(time), np.sin(time), 0.0 * time], axis=1)[:, None])
    kept, off = chosen([circle], tolerance)
    needed = 2.0 * np.pi / (2.0 * np.arccos(1.0 - tolerance))
    between = np.stack([np.interp(time, time[kept], x[kept]) for x in circle.points[:, 0].T], axis=1)
    assert np.linalg.norm(between - circle.points[:, 0], axis=1).max() == pytest.approx(off, rel=1e-9) and off <= tolerance
    assert needed <= len(kept) - 1 <= 2.0 * needed + 2


def test_where_there_is_room_for_few_keys_they_are_where_the_motion_is_worst():
    time = np.linspace(0.0, 1.0, 201)
    kink = Track(time, (np.maximum(time - 0.8, 0.0) + 0.01 * np.sin(9.0 * time))[:, None, None] * np.ones(3))
    kept, off = chosen([kink], 1e-9, 4)
    assert len(kept) == 4 and off > 1e-9 and np.abs(time[kept] - 0.8).min() < 0.05
