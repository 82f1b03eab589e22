"""The pages of `uqmbd view`: who may ask, and what of the disk can be reached."""

import pytest

pytest.importorskip("starlette", reason="starlette is not installed: pip install -e '.[test]'")
pytest.importorskip("httpx", reason="httpx is not installed: pip install -e '.[test]'")

from uqmbd.web.app import SANDBOX
from uqmbd.web.places import Refused, inside

from .web_pages import HERE, PORT, Asker, words


@pytest.fixture
def bare(tmp_path):
    """Asks about a folder that holds one place with a report."""
    (tmp_path / "results" / "osc").mkdir(parents=True)
    for name in ("lock", "study.toml", "report.html"):
        (tmp_path / "results" / "osc" / name).write_text("")
    return Asker(tmp_path / "results", tmp_path)


@pytest.mark.parametrize("address", ["/", "/of/osc", "/studies", "/compare", "/picture/osc", "/view.css", "/nowhere"])
def test_nothing_is_told_without_the_token(bare, address):
    for cookie in (False, "wrong", ""):
        answer = bare.get(address, cookie=cookie)
        assert answer.status_code == 403 and "token" in words(answer) and "osc" not in answer.text
    assert bare.get("/?token=wrong", cookie=False).status_code == 403


def test_the_address_with_the_token_becomes_a_cookie_that_no_script_reads(bare):
    answer = bare.get(bare.keys.address().removeprefix(HERE), cookie=False)
    cookie = answer.headers["set-cookie"].lower()
    assert answer.status_code == 303 and answer.headers["location"] == "/"
    assert "httponly" in cookie and "samesite=strict" in cookie and f"uqmbd-{PORT}=" in cookie
    assert bare.get("/").status_code == 200


@pytest.mark.parametrize("host", ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}"])
def test_a_name_that_was_made_to_lead_here_is_refused(bare, host):
    assert bare.get("/", Host=host).status_code == 403
    assert bare.get("/", Host=f"localhost:{PORT}").status_code == 200


@pytest.mark.parametrize("origin", [None, "null", "http://evil.example", "http://127.0.0.1:1", f"https://127.0.0.1:{PORT}"])
@pytest.mark.parametrize("address", ["/start", "/stop", "/resume"])
def test_what_changes_something_is_asked_by_a_page_of_this_server(bare, address, origin):
    assert bare.post(address, place="osc", study="study.toml", origin=origin).status_code == 403
    assert not bare.shelf.jobs.home.exists()


@pytest.mark.parametrize("address", ["/start", "/stop", "/resume"])
def test_a_form_has_the_token_of_forms(bare, address):
    assert bare.post(address, place="osc", study="study.toml", token="wrong").status_code == 403
    assert bare.post(address, place="osc", study="study.toml", token=bare.keys.token).status_code == 403
    assert bare.post(address, place="osc", study="study.toml", cookie=False).status_code == 403
    assert bare.get(address).status_code == 405
    assert bare.post(address, place="x" * 70_000).status_code == 413
    assert not bare.shelf.jobs.home.exists()


def test_a_page_of_another_place_reads_nothing(bare):
    answer = bare.get("/", Origin="http://evil.example")
    assert answer.status_code == 403 and "access-control-allow-origin" not in answer.headers


def test_every_answer_says_what_the_browser_has_to_refuse(bare):
    for answer in (bare.get("/"), bare.get("/", cookie=False), bare.get("/nowhere"), bare.get("/view.js")):
        policy = answer.headers["content-security-policy"]
        assert policy.startswith("default-src 'none'") and "unsafe" not in policy and "frame-ancestors 'none'" in policy
        assert answer.headers["x-content-type-options"] == "nosniff" and answer.headers["cache-control"] == "no-store"


# what can be reached ----------------------------------------------------------------------------------------------------------------------
@pytest.mark.parametrize(
    "place",
    ["", "..", "../secret", "osc/../../secret", "/etc/passwd", "osc//x", ".view", "osc/.hidden", "a\\b", "a\0b", "osc/", "./osc", "a\nb"],
)
def test_places_are_below_the_folder(tmp_path, place):
    with pytest.raises(Refused):
        inside(tmp_path, place)


def test_links_are_not_followed(tmp_path, bare):
    done = tmp_path / "results"
    (tmp_path / "secret").mkdir()
    (tmp_path / "secret" / "report.html").write_text("secret")
    (done / "out").symlink_to(tmp_path / "secret")
    (done / "osc" / "report.html").unlink()
    (done / "osc" / "report.html").symlink_to(tmp_path / "secret" / "report.html")
    for place in ("out", "osc"):
        answer = bare.get(f"/report/{bare.keys.report(place)}/{place}/report.html")
        assert answer.status_code == 404 and "secret" not in answer.text
    assert "Open the report" not in bare.get("/of/osc").text
    (done / "osc" / "study.toml").unlink()
    (tmp_path / "secret" / "study.toml").write_text('[study]\nname = "s"\ndescription = "secret"\n')
    (done / "osc" / "study.toml").symlink_to(tmp_path / "secret" / "study.toml")
    assert bare.get("/of/osc").status_code == 404 and "secret" not in bare.get("/").text


@pytest.mark.parametrize(
    "way", ["..%2f..%2fsecret", "%2e%2e/%2e%2e/secret", "%2fetc%2fpasswd", "osc/%2e%2e/%2e%2e/secret", "%00", "..%5csecret"]
)
def test_an_encoded_way_out_is_none(bare, way, tmp_path):
    (tmp_path / "secret").write_text("secret")
    for page in ("of", "picture", f"report/{bare.keys.report('osc')}"):
        answer = bare.get(f"/{page}/{way}")
        assert answer.status_code in (403, 404) and "root:" not in answer.text
    assert bare.get(f"/compare?of=osc&of={way}").status_code in (200, 404)
    for act, name in (("/stop", "place"), ("/resume", "place"), ("/start", "study")):
        assert bare.post(act, **{name: "../secret"}).status_code == 404


def test_a_report_is_opened_by_its_key_alone_in_a_sandbox(bare, tmp_path):
    (tmp_path / "results" / "osc" / "report.html").write_text("<p>the report</p>")
    address = f"/report/{bare.keys.report('osc')}/osc/report.html"
    assert address in bare.get("/of/osc").text
    answer = bare.get(address, cookie=False)  # from within the sandbox no cookie is sent
    assert answer.text == "<p>the report</p>" and answer.headers["content-security-policy"] == SANDBOX
    assert "allow-same-origin" not in SANDBOX and "allow-forms" not in SANDBOX and "connect-src" not in SANDBOX
    for key in ("", "x", bare.keys.token, bare.keys.form, bare.keys.report("other")):
        assert bare.get(f"/report/{key}/osc/report.html").status_code in (403, 404)
    assert bare.get(f"/report/{bare.keys.report('osc')}/osc/study.toml").status_code == 403
