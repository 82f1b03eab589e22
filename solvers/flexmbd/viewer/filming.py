"""Pictures and films of a motion, PNG, GIF and MP4: what the page shows, taken in a browser without a window."""

import contextlib
import io
import json
import shutil
import subprocess
from pathlib import Path

import numpy as np

from flexmbd.errors import ModelError
from flexmbd.viewer.chromium import Chromium

READY = "document.documentElement?.dataset.drawn"
USUAL, SHORTEST, LONGEST = 6.0, 2.0, 20.0  # s: of a film; motions between the other two are shown as fast as they are
MOST_FRAMES, COLORS = 6000, 128
SIZES = 64, 4096  # pixels
FASTEST = {".gif": 50, ".mp4": 60}  # pictures a second; viewers show shorter times of a GIF longer


def filmed(viewer, path, *, time, seconds, fps, size, dark, scale):
    """Write a picture or a film of a `Viewer`, as `Viewer.to_picture` says."""
    path, data = Path(path), viewer.data
    kind = path.suffix.lower()
    if kind not in WRITERS:
        raise ModelError(f"a picture cannot be written to '{path}'", remedy=f"end the path in {', '.join(WRITERS)}")
    _check_size(size, scale, even=kind == ".mp4")
    times, told, fps = _times(kind, data, time, seconds, fps)
    if kind == ".mp4":
        encoder()
    with Chromium() as browser:
        page, made = browser.folder / "page.html", browser.folder / f"made{kind}"
        page.write_text(viewer.to_html(playing=False), encoding="utf-8")
        browser.open(page, READY, size, dark=dark, scale=scale)
        if browser.run(READY) != "webgl":
            raise ModelError("chromium draws no WebGL 2 on this machine, so there is no picture", remedy="install one of 2021 or later")
        WRITERS[kind](made, _pictures(browser, times, told), fps)
        try:
            shutil.copyfile(made, path)
        except OSError as error:
            raise ModelError(f"the picture cannot be written to '{path}': {error.strerror}", remedy="give another path") from error
    return path.absolute()


def _times(kind, data, time, seconds, fps):
    """Times of the motion (s), how much slower it is shown, and pictures a second."""
    start, end = data["start"], data["end"]
    if kind == ".png":
        if seconds is not None or fps is not None:
            raise ModelError("seconds and fps are of films", remedy="leave them out, or end the path in .gif or .mp4")
        if time is not None and not (isinstance(time, (int, float)) and start <= time <= end):
            raise ModelError(f"time is {time!r}", remedy=f"give a time of the motion, from {start:g} to {end:g} s")
        return [start if time is None else time], "", None
    if time is not None:
        raise ModelError("time is of one picture, and a film is of all times", remedy="leave it out, or end the path in .png")
    fps = 25 if fps is None else fps
    if not (isinstance(fps, (int, float)) and 1 <= fps <= FASTEST[kind]):
        raise ModelError(f"fps is {fps!r}", remedy=f"give pictures a second, from 1 to {FASTEST[kind]}")
    if seconds is None:
        seconds = end - start if SHORTEST <= end - start <= LONGEST else USUAL
    if not (isinstance(seconds, (int, float)) and 2 <= round(seconds * fps) <= MOST_FRAMES):
        raise ModelError(f"seconds is {seconds!r}", remedy=f"give how long the film is, from two pictures to {MOST_FRAMES:,}")
    slower = seconds / (end - start) if end > start else 1.0
    words = f"{slower:.3g} times slower" if slower > 1.005 else f"{1.0 / slower:.3g} times faster" if slower < 0.995 else ""
    return np.linspace(start, end, round(seconds * fps)), words, fps


def _check_size(size, scale, even):
    if scale not in (1, 2):
        raise ModelError(f"scale is {scale!r}", remedy="give 1 or 2: pixels of the file by one of the picture, each way")
    whole = isinstance(size, (tuple, list)) and len(size) == 2 and all(isinstance(x, (int, np.integer)) for x in size)
    fits = whole and all(SIZES[0] <= x <= SIZES[1] for x in size)
    if not fits or (even and any(x % 2 for x in size)):
        more = ", even ones for MP4" if even else ""
        raise ModelError(f"size is {size!r}", remedy=f"give width and height in pixels, from {SIZES[0]} to {SIZES[1]}{more}")


def _pictures(browser, times, told):
    """PNG of each time."""
    for time in times:
        browser.run(f"flexmbd.film({float(time)!r}, {json.dumps(told)})")
        yield browser.picture()


def _png(path, pictures, fps):
    (picture,) = pictures
    path.write_bytes(picture)


def _image(picture):
    from PIL import Image

    return Image.open(io.BytesIO(picture)).convert("RGB")


def _gif(path, pictures, fps):
    """All with one palette, so that what does not move does not flicker, and takes no room."""
    from PIL import Image

    images = [_image(picture) for picture in pictures]
    some = images[:: max(1, len(images) // 8)]
    wide, high = images[0].size
    together = Image.new("RGB", (wide, high * len(some)))
    for k, image in enumerate(some):
        together.paste(image, (0, high * k))
    palette = together.quantize(COLORS, method=Image.Quantize.MAXCOVERAGE, dither=Image.Dither.NONE)
    first, *others = (image.quantize(palette=palette, dither=Image.Dither.NONE) for image in images)
    ends = np.rint(100.0 / fps * np.arange(len(images) + 1)).astype(int)  # a GIF counts hundredths of a second
    first.save(path, save_all=True, append_images=others, duration=(10 * np.diff(ends)).tolist(), loop=0)


def encoder():
    """Path of ffmpeg: that on PATH, or of the package imageio-ffmpeg.

    Raises
    ------
    ModelError
        If there is neither.
    """
    found = shutil.which("ffmpeg")
    if found is None:
        try:
            from imageio_ffmpeg import get_ffmpeg_exe
        except ImportError:
            remedy = "install one (pip install imageio-ffmpeg; Debian: apt-get install ffmpeg), or end the path in .gif"
            raise ModelError("films as MP4 need ffmpeg, which is not on PATH, or the package imageio-ffmpeg", remedy=remedy) from None
        found = get_ffmpeg_exe()
    return found


def _mp4(path, pictures, fps):
    command = [encoder(), "-loglevel", "error", "-y", "-f", "image2pipe", "-c:v", "png", "-framerate", f"{fps:g}", "-i", "-"]
    command += ["-pix_fmt", "yuv420p", "-movflags", "+faststart", str(path)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE) as ffmpeg:
        try:
            for picture in pictures:
                ffmpeg.stdin.write(picture)
            ffmpeg.stdin.close()
        except BrokenPipeError:  # it says why
            with contextlib.suppress(BrokenPipeError):
                ffmpeg.stdin.close()
        said = ffmpeg.stderr.read().decode(errors="replace").strip()
    if ffmpeg.returncode or not path.is_file():
        why = said.splitlines()[-1] if said else f"status {ffmpeg.returncode}"
        raise ModelError(f"ffmpeg made no film: {why[:200]}", remedy="end the path in .gif, or write a page: .html")


WRITERS = {".png": _png, ".gif": _gif, ".mp4": _mp4}
