"""What the tests of bad input share."""

import pytest

import flexmbd as fm


def said(build):
    """The one sentence of the error."""
    with pytest.raises(fm.ModelError) as caught:
        build()
    sentence = str(caught.value)
    assert "\n" not in sentence and "Traceback" not in sentence
    return sentence


def names(sentence, *parts):
    assert not [part for part in parts if part not in sentence], sentence
