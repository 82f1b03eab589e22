"""Questions: what is asked of a surrogate, without further runs."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BeforeValidator, WithJsonSchema

from uqmbd.errors import did_you_mean

if TYPE_CHECKING:
    from uqmbd.questions.base import Answer, SurrogateContext

NAMES = ("bounds", "indices", "width")


def known_questions(value: Any) -> Any:
    """`value` when it is a list of questions."""
    if not isinstance(value, (list, tuple)):
        raise ValueError(f'questions are a list such as ["bounds", "indices"], not {value!r}')
    for name in value:
        if name not in NAMES:
            raise ValueError(f"there is no question {name!r}; {did_you_mean(str(name), NAMES, noun='question')}")
    return tuple(dict.fromkeys(value))


_LIST = {"type": "array", "items": {"enum": list(NAMES)}}
Questions = Annotated[tuple[str, ...], BeforeValidator(known_questions), WithJsonSchema(_LIST)]


def answers_of(context: SurrogateContext, questions: Iterable[str], *, but: tuple[str, ...] = ("bounds",)) -> Answer:
    """What the questions say together, without those that the method answers itself."""
    from uqmbd.questions.base import Answer
    from uqmbd.questions.bounds import bounds
    from uqmbd.questions.indices import indices
    from uqmbd.questions.width import width

    known = {"bounds": bounds, "indices": indices, "width": width}
    answer = Answer()
    for name in questions:
        answer = answer if name in but else answer.joined(known[name](context))
    return answer
