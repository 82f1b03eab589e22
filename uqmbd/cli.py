"""The command line: run, demo, resume, retry, report, replay, check, outputs; `commands` has the others."""

from __future__ import annotations

import gc
import logging
import os
import sys
import threading
from pathlib import Path
from typing import Annotated, Any

import typer

from uqmbd.commands import COMMANDS, STUDIES, Debug, Results
from uqmbd.errors import StudyError
from uqmbd.interrupts import heed_signals, interruptible
from uqmbd.printing import TerminalLog, console, near, say

LAST_WORDS = 3.0  # seconds that threads have to end after the command has

app = typer.Typer(add_completion=False, no_args_is_help=True, pretty_exceptions_enable=False, rich_markup_mode=None)

StudyFile = Annotated[Path, typer.Argument(metavar="STUDY", help="Study file (TOML).")]
Workers = Annotated[int | None, typer.Option(min=0, help="Worker processes; 0 runs in this process.")]
Scheduler = Annotated[str | None, typer.Option(metavar="ADDRESS", help="Dask scheduler to use instead of local workers.")]
NoReport = Annotated[bool, typer.Option("--no-report", help="Write no report; `uqmbd report` does it later.")]


def say_version(wanted: bool) -> None:
    """Print the version and leave."""
    if wanted:
        from importlib.metadata import version

        say(f"uqmbd {version('uqmbd')}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[bool, typer.Option("--version", callback=say_version, is_eager=True, help="Show the version.")] = False,
) -> None:
    """Bounds, distributions and sensitivities of multibody mechanisms with uncertain joints."""


@app.command()
def run(
    study: StudyFile,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Where results go; results/<study name> unless said.")] = None,
    workers: Workers = None,
    scheduler: Scheduler = None,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Discard the results of another study in the same place.")] = False,
    method: Annotated[str | None, typer.Option(metavar="LABEL", help="Only this one of a study's methods.")] = None,
    no_report: NoReport = False,
    shard: Annotated[str | None, typer.Option(metavar="K/N", help="Do the K-th of N shares of the runs only, for job arrays.")] = None,
    debug: Debug = False,
) -> None:
    """Run a study, or what is missing of it, and write its report."""
    from uqmbd.study import Study
    from uqmbd.study.reporting import show
    from uqmbd.study.running_methods import folder_of_method, require_one, run_methods, select_method
    from uqmbd.study.storing import results_directory

    loaded = Study.from_file(study)
    place = results_directory(out, loaded.name)
    if method is not None:
        loaded, place = select_method(loaded, method), folder_of_method(loaded, place, method)  # of the whole study
    with interruptible(place):
        if shard is not None:
            from uqmbd.study.shards import run_shard

            require_one(loaded)
            say(run_shard(loaded, shard, workers=workers, out=place, scheduler=scheduler))
            return
        show(run_methods(loaded, workers=workers, out=place, scheduler=scheduler, overwrite=overwrite), no_report)


@app.command()
def resume(
    results: Results, workers: Workers = None, scheduler: Scheduler = None, no_report: NoReport = False, debug: Debug = False
) -> None:
    """Go on with a study that was interrupted; only missing runs are done."""
    go_on(results, no_report, workers=workers, scheduler=scheduler)


@app.command()
def retry(
    results: Results,
    status: Annotated[str, typer.Option(help="Which failed runs, with commas between.")] = "diverged,timeout,error",
    workers: Workers = None,
    scheduler: Scheduler = None,
    no_report: NoReport = False,
    debug: Debug = False,
) -> None:
    """Do failed runs again; everything else is kept."""
    go_on(results, no_report, workers=workers, scheduler=scheduler, again=[word.strip() for word in status.split(",")])


def go_on(results: Path, no_report: bool, **how: Any) -> None:
    """Run what is missing of a study that lies beside its results; `how` are arguments of `run_methods`."""
    from uqmbd.study import Study
    from uqmbd.study.reporting import show
    from uqmbd.study.running_methods import run_methods

    stored = stored_study(results)
    with interruptible(results):
        show(run_methods(Study.from_file(stored), out=results, **how), no_report)


@app.command()
def report(
    results: Results,
    out: Annotated[str | None, typer.Option(metavar="DIR", help="Where the report goes; beside the results unless said.")] = None,
    trust: Annotated[bool, typer.Option("--trust", help="Execute the functions of figures that the study names.")] = False,
    debug: Debug = False,
) -> None:
    """Write the report of a finished study again, and its figures as PNG files."""
    from uqmbd.figures.plugin_sections import left_out
    from uqmbd.report import write_overview, write_report
    from uqmbd.result import open_results
    from uqmbd.results import Results
    from uqmbd.runs.where import folders_of
    from uqmbd.study.reporting import table
    from uqmbd.study.storing import results_directory

    stored_study(results)
    place = results if out is None else results_directory(out, "report")
    opened, folders = {}, folders_of(results)
    for folder in folders:
        opened[folder.name] = open_results(folder, trust=trust)
        table(opened[folder.name])
        if missing := left_out(opened[folder.name]):
            say(f"note: {missing}")
        logging.getLogger("uqmbd").info("writing the report ...")
        text = (folder / "study.toml").read_text(encoding="utf-8")
        page = write_report(opened[folder.name], place if folder == results else place / folder.name, study_text=text)
        say(f"report: {near(page)}")
    if folders != [results]:
        say(f"report: {near(write_overview(Results(opened), place))}")


@app.command()
def replay(
    results: Results,
    worst: Annotated[
        str, typer.Option(metavar="OUTPUT", help="The output whose bound, greatest or least run is asked for, such as B.force:max.")
    ],
    bound: Annotated[str, typer.Option(help="upper or lower.")] = "upper",
    time: Annotated[float | None, typer.Option(help="Of a history: when, in s; where it reaches furthest unless said.")] = None,
    show: Annotated[bool, typer.Option("--show", help="Show it moving in the browser; the page stays beside the results.")] = False,
    debug: Debug = False,
) -> None:
    """Run again what reached a bound, or the greatest or least run, and write it beside the run in the middle of the inputs."""
    from uqmbd.result import open_results
    from uqmbd.runs.files import writing
    from uqmbd.study import Study
    from uqmbd.study.replay import replay as again

    study = Study.from_file(stored_study(results))
    with writing(results):
        replayed = again(study, open_results(results), results, worst, bound, time, show=show)
    for line in replayed.lines:
        say(line)
    if replayed.page is not None:
        import webbrowser

        webbrowser.open(replayed.page.absolute().as_uri())


@app.command()
def check(
    study: StudyFile,
    patience: Annotated[float, typer.Option(min=0.1, help="Seconds after which trial runs that are not done are left.")] = 60.0,
    debug: Debug = False,
) -> None:
    """Validate a study, build its model once, and say what it will cost."""
    from uqmbd.study import Study
    from uqmbd.study.running_methods import select_method

    loaded = Study.from_file(study)
    for label in loaded.methods:
        console().print(select_method(loaded, label).check(patience=patience).table(label if len(loaded.methods) > 1 else ""))


@app.command()
def outputs(
    study: StudyFile,
    word: Annotated[str, typer.Argument(metavar="[WORD]", help="Only names that contain it.")] = "",
    debug: Debug = False,
) -> None:
    """List every output that the model of a study has, with its unit."""
    from uqmbd.study import Study
    from uqmbd.study.available import outputs_table

    console().print(outputs_table(Study.from_file(study), word))


@app.command()
def demo(
    runs: Annotated[int | None, typer.Option("--runs", min=100, help="At most so many runs, for a first look; 28,000 unless said.")] = None,
    workers: Workers = None,
    no_report: NoReport = False,
    debug: Debug = False,
) -> None:
    """Run the demo, a slider-crank whose joint has play: its study goes to studies/, its results to results/."""
    from uqmbd.study.reporting import show
    from uqmbd.study.running_methods import run_methods
    from uqmbd.study.storing import results_directory
    from uqmbd.study.worked import demo as written

    study = written(STUDIES, runs)
    place = results_directory(None, study.name)
    with interruptible(place):
        show(run_methods(study, workers=workers, out=place), no_report)


for word, command in COMMANDS.items():
    app.command(word)(command)


def stored_study(results: Path) -> Path:
    """The resolved study in a directory of results."""
    from uqmbd.runs.where import check_study

    stored = results / "study.toml"
    if not stored.is_file():
        remedy = "name the directory that `uqmbd run` has made, results/<study name>"
        raise StudyError("holds no results of uqmbd", file=results, remedy=remedy)
    check_study(results)
    return stored


def program() -> None:
    """Entry point of the command `uqmbd`: a process of its own, which ends when the command is done, whatever a model has started."""
    from uqmbd.processes import adopt_orphans, end_all, keep_the_recursion_limit

    adopt_orphans()
    keep_the_recursion_limit()
    heed_signals()
    code = 1
    try:
        main()
    except SystemExit as leaving:
        code = leaving.code if isinstance(leaving.code, int) else int(leaving.code is not None)
        raise
    finally:
        end_all()
        last = threading.Timer(LAST_WORDS, leave, [code])  # a thread of the model, for which Python would wait
        last.daemon = True
        last.start()


def leave(code: int) -> None:
    """End this process at once."""
    from uqmbd.processes import end_all

    end_all()
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code)


def main() -> None:
    """Do the command: what is wrong with a study is one message and code 2."""
    debug = "--debug" in sys.argv
    log = logging.getLogger("uqmbd")
    if not log.handlers:
        log.addHandler(TerminalLog())
        log.setLevel(logging.INFO)
    gc.set_threshold(50_000)  # 700 collects hundreds of times while modules load, for nothing
    try:
        app(standalone_mode=True)
    except StudyError as error:
        if debug:
            raise
        say(f"error: {error}", err=True)
        sys.exit(2)
    except Exception as error:
        if debug:
            raise
        text = " ".join(str(error).split())
        say(f"error: {type(error).__name__}: {text}\n  remedy: this is a fault of uqmbd; --debug shows where", err=True)
        sys.exit(1)
    finally:
        gc.freeze()  # or the interpreter searches all modules for garbage once more before it ends, which takes a second


if __name__ == "__main__":
    program()
