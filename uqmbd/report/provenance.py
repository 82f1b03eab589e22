"""How a result came about: the essentials of its manifest, for the end of the page."""

from collections.abc import Mapping

from uqmbd.result_data import ResultData
from uqmbd.tables.text import Table


def provenance_table(result: ResultData) -> Table:
    """Command, machine, times and state of the repository; ``manifest.json`` has the rest."""
    known = result.manifest
    machine, git, model = (known.get(key, {}) for key in ("machine", "git", "model"))
    copied = sum("copy" in file for file in model.get("files", ()))
    facts = {
        "command": known.get("command"),
        "started": known.get("started"),
        "ended": known.get("ended"),
        "host": machine.get("host"),
        "system": machine.get("system"),
        "processor": f"{machine['processor']}, {machine['cores']} cores" if "processor" in machine else None,
        "Python": known.get("python"),
        "packages": f"{len(known['packages'])}, with versions in manifest.json" if "packages" in known else None,
        "files of the model": f"{copied} in the folder model" if copied else None,
        "git commit": commit_in_words(git),
    }
    return Table("How it was made", ("what", "value"), tuple((key, str(text)) for key, text in facts.items() if text), (False, False))


def commit_in_words(git: Mapping) -> str | None:
    """The commit, and whether the files were as it has them."""
    if not git:
        return None
    if "clean" not in git:
        return git["commit"]
    return f"{git['commit']}, {'all committed' if git['clean'] else str(git['changed']) + ' files changed since'}"
