"""Errors of a study name the file that it was read from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from uqmbd.errors import StudyError
from uqmbd.study.data import StudyData
from uqmbd.study.sizes import no_memory


@contextmanager
def naming_file(study: StudyData) -> Iterator[None]:
    """An error in the block that concerns the study itself names the file it was read from; want of memory is such an error."""
    try:
        try:
            yield
        except MemoryError as error:
            raise no_memory(error) from error
    except StudyError as error:
        if study.file is None or error.key is None or error.key.startswith("--"):
            raise
        raise error.at(file=study.file) from error.__cause__
