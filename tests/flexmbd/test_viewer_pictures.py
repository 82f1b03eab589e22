"""Pictures and films of motions: which times they are of, and what is told where something is missing."""

import io

import numpy as np
import pytest
from PIL import Image

import flexmbd as fm
from flexmbd.viewer import filming
from flexmbd.viewer.chromium import Chromium

from .shown_models import shapes


@pytest.fixture(scope="module")
def moving():
    """Bodies that move for two seconds."""
    return shapes(2)


@pytest.fixture
def nothing_there(monkeypatch, tmp_path):
    """A machine without any program."""
    monkeypatch.setenv("PATH", str(tmp_path))


def picture(shade):
    """A small picture of one grey, as PNG."""
    out = io.BytesIO()
    Image.new("RGB", (16, 8), (shade, shade, shade)).save(out, "PNG")
    return out.getvalue()


WRONG = {
    "time of a film": ("a.gif", {"time": 0.1}, "time is of one picture, and a film is of all times; leave it out, or end the path in .png"),
    "fps of a picture": ("a.png", {"fps": 5}, "seconds and fps are of films; leave them out"),
    "a time that is none": ("a.png", {"time": 3.0}, "time is 3.0; give a time of the motion, from 0 to 2 s"),
    "too fast": ("a.gif", {"fps": 60}, "fps is 60; give pictures a second, from 1 to 50"),
    "too long": ("a.mp4", {"seconds": 1e6}, "seconds is 1000000.0; give how long the film is, from two pictures to 6,000"),
    "size": ("a.png", {"size": (10, 10)}, "size is (10, 10); give width and height in pixels, from 64 to 4096"),
    "scale": ("a.png", {"scale": 3}, "scale is 3; give 1 or 2"),
    "odd": ("a.mp4", {"size": (641, 360)}, "from 64 to 4096, even ones for MP4"),
    "of pictures": ("a.html", {"dark": True}, "dark: of pictures and films only; leave it out, or end the path in .png, .gif or .mp4"),
}


@pytest.mark.parametrize("which", WRONG)
def test_wrong_options_are_told_before_a_browser_is_started(which, moving, tmp_path, nothing_there):
    name, options, said = WRONG[which]
    with pytest.raises(fm.ModelError) as error:
        fm.show(moving, tmp_path / name, browser=False, **options)
    assert said in str(error.value)


def test_a_path_with_another_end_is_told(moving, tmp_path):
    with pytest.raises(fm.ModelError, match=r"a picture cannot be written to '.*a\.tiff'; end the path in \.png, \.gif, \.mp4"):
        fm.Viewer(moving).to_picture(tmp_path / "a.tiff")


def test_without_a_browser_it_says_which_to_install(moving, tmp_path, nothing_there):
    with pytest.raises(fm.ModelError, match=r"none of chromium, .* is on PATH; install one \(Debian: .*\), or write a page"):
        fm.show(moving, tmp_path / "a.png")


def test_a_browser_that_does_not_start_is_told(moving, tmp_path, monkeypatch):
    """One that ends at once, as a program without its libraries does."""
    (tmp_path / "chromium").write_text("#!/bin/sh\nexit 3\n")
    (tmp_path / "chromium").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(fm.ModelError, match="chromium made no picture: it ended; try again, or write a page"), Chromium():
        pass


def test_without_ffmpeg_it_says_what_to_install(nothing_there):
    with pytest.raises(fm.ModelError, match=r"MP4 need ffmpeg, .*; install one \(pip install imageio-ffmpeg; .*\)"):
        filming.encoder()


def test_what_ffmpeg_says_is_told(tmp_path, monkeypatch):
    (tmp_path / "ffmpeg").write_text("#!/bin/sh\necho 'no codec' >&2\nexit 1\n")
    (tmp_path / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(fm.ModelError, match=r"ffmpeg made no film: no codec; end the path in \.gif"):
        filming.WRITERS[".mp4"](tmp_path / "a.mp4", iter([picture(1)] * 3), 25)


def test_ffmpeg_is_given_every_picture_and_their_rate(tmp_path, monkeypatch):
    """By a program that keeps what it is told."""
    (tmp_path / "ffmpeg").write_text(f'#!/bin/sh\nfor last; do :; done\necho "$@" > {tmp_path}/told\n/bin/cat > "$last"\n')
    (tmp_path / "ffmpeg").chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    filming.WRITERS[".mp4"](tmp_path / "a.mp4", iter([picture(1), picture(2)]), 12.5)
    assert (tmp_path / "a.mp4").read_bytes() == picture(1) + picture(2)
    assert "-framerate 12.5 -i -" in (tmp_path / "told").read_text()


@pytest.mark.parametrize("end, seconds, told", [(0.05, 6.0, "120 times slower"), (5.0, 5.0, ""), (600.0, 6.0, "100 times faster")])
def test_a_film_says_how_much_slower_it_is(end, seconds, told):
    times, words, fps = filming._times(".gif", {"start": 0.0, "end": end}, None, None, None)
    assert (words, fps, len(times)) == (told, 25, round(25 * seconds)) and times[0] == 0.0 and times[-1] == end


@pytest.mark.parametrize("fps", [8, 12.5, 15, 25, 30])
def test_a_gif_lasts_as_long_as_it_is_told_to(fps, tmp_path):
    """It counts hundredths of a second, of which 15 pictures a second are 6 or 7 each."""
    filming.WRITERS[".gif"](tmp_path / "a.gif", (picture(255 * (k % 2)) for k in range(25)), fps)
    with Image.open(tmp_path / "a.gif") as film:
        lengths = []
        for k in range(film.n_frames):
            film.seek(k)
            lengths.append(film.info["duration"])
    assert len(lengths) == 25 and sum(lengths) == pytest.approx(25e3 / fps, abs=5.0) and np.ptp(lengths) <= 10
