"""Keys in addresses of storage: used by this process, written to no file and into no message."""

from __future__ import annotations

import logging
import os
import re
from collections.abc import Mapping
from functools import cache
from typing import Any

VARIABLE = "UQMBD_RUNS"  # of the environment: the address of the runs with its key, for files that say it without
USER = re.compile(r"(?<=://)(?:[^/@?]*:.*@|[^/@?]*@)")  # of user and password, up to the last @: a key may hold slashes
QUERY = re.compile(r"\?[^\s]*=[^\s]*")
OF_THIS_PROCESS: dict[str, str] = {}


def without_key(address: str) -> str:
    """An address without user, password and query; other text as it is.

    ``s3://KEY:SECRET@bucket/study`` is ``s3://bucket/study``. With a password or not, a user says nothing of where a thing lies.
    """
    return QUERY.sub("", USER.sub("", address)) if "://" in address else address


def with_key(address: str) -> str:
    """The address with the key that this process was given, by the study or by the environment; as it is if it was given none."""
    plain = without_key(address)
    if plain != address:
        OF_THIS_PROCESS[plain] = address
        return address
    return OF_THIS_PROCESS.get(plain) or of_environment(os.environ, plain) or address


def of_environment(environment: Mapping[str, str], plain: str) -> str:
    """What the environment says of an address: that of a folder with more below it holds for what is below."""
    full = environment.get(VARIABLE, "")
    root = without_key(full).rstrip("/")
    if not root or not (plain == root or plain.startswith(f"{root}/")):
        return ""
    return full.rstrip("/") + plain[len(root) :] if "?" not in full else full


def keyless(document: Mapping[str, Any]) -> dict[str, Any]:
    """The document of a study, in which the address of its runs has no key; it is said when one was left out."""
    campaign = document.get("campaign", {})
    address = str(campaign.get("runs", ""))
    if without_key(address) == address:
        return dict(document)
    tell_of_key(without_key(address))
    return {**document, "campaign": {**campaign, "runs": without_key(address)}}


@cache
def tell_of_key(plain: str) -> None:
    """Say, once for an address, that its key was left out."""
    text = "the key in the address of the runs is written to no file: to go on, or to read them, put that of %s with its key into %s"
    logging.getLogger("uqmbd").info(text, plain, VARIABLE)
