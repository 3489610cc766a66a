"""A refused microphone, a full disk, a dead app, a closed tab: no text and no finished answer is lost."""

from __future__ import annotations

import stat
import sys
from collections.abc import Iterator

import psutil
import pytest
from playwright.sync_api import Browser, expect

from engine.interview.interviews import Interviews
from engine.interview.setup import Setup
from tests.browser.app import App
from tests.browser.chromium import FLAGS, program_of
from tests.browser.interview_page import InterviewPage, begin, kept, open_interview, text_of

pytestmark = [pytest.mark.browser, pytest.mark.timeout(300)]


@pytest.fixture
def app(interview_app: App) -> App:
    """One app for all tests here: each asks an interview of its own."""
    return interview_app


REAL = Setup(mode="real", questions=2, seconds=120, thinking=0, follow_ups=False, live=False)


def test_an_app_that_dies_and_a_tab_that_closes_lose_no_text(app: App, browser: Browser) -> None:
    interview_id = begin(app, REAL)
    page = open_interview(browser, app, interview_id)
    page.begin(0)
    page.page.keyboard.type("before, ")
    expect(page.kept).to_have_text("Saved.")
    app.kill()
    # long enough for Streamlit's own dialog to come up, which takes the focus
    page.page.keyboard.type("while it was dead, in spite of a dialog", delay=150)
    page.press("Control+Enter")
    page.expect_state("over")
    expect(page.waiting).to_contain_text("The app isn't answering.")
    context = page.page.context
    page.page.close()  # the answer's end is on its way
    app.start()
    again = context.new_page()
    again.goto(f"{app.url}interview?session={interview_id}")
    room = again.locator(".room")
    expect(room).to_have_attribute("data-pending", "0")
    expect(room).to_have_attribute("data-place", "1")
    question = kept(app, interview_id).questions[0]
    assert question.draft("main").text == "before, while it was dead, in spite of a dialog"
    assert question.clock.outcome == "answered"
    assert (question.clock.used_ms or 0) < 60_000
    context.close()


@pytest.mark.skipif(sys.platform != "linux", reason="limits another process's files by prlimit")
def test_a_full_disk_is_said_and_what_was_typed_is_saved_once_there_is_room(
    app: App, browser: Browser
) -> None:
    interview_id = begin(app, REAL)
    page = open_interview(browser, app, interview_id)
    page.begin(0)
    assert app.process is not None
    server = psutil.Process(app.process.pid)
    before = server.rlimit(psutil.RLIMIT_FSIZE)
    server.rlimit(psutil.RLIMIT_FSIZE, (0, before[1]))  # no file can grow: a full disk, as a program sees it
    page.page.keyboard.type("typed on a full disk")
    expect(page.waiting).to_contain_text("kept in this browser")
    page.press("Control+Enter")
    page.expect_state("over")
    assert text_of(app, interview_id) == ""
    server.rlimit(psutil.RLIMIT_FSIZE, before)
    page.expect_state("ready", 1)
    expect(page.waiting).to_be_hidden()
    assert text_of(app, interview_id) == "typed on a full disk"
    assert page.errors == []
    page.page.context.close()


def test_a_refused_microphone_costs_nothing_but_the_recording(app: App, browser: Browser) -> None:
    interview_id = begin(app, REAL)
    page = open_interview(browser, app, interview_id, permissions=[])
    page.begin(0)
    page.page.keyboard.type("typed, ")
    page.press("Escape")
    page.press("r")
    expect(page.page.get_by_test_id("stAudioInput")).to_be_visible()
    page.press("n")
    page.page.keyboard.type("and typed on")
    page.press("Control+Enter")
    page.expect_state("ready", 1)
    question = kept(app, interview_id).questions[0]
    assert question.draft("main").text == "typed, and typed on"
    assert question.recordings == {}
    page.page.context.close()


@pytest.fixture
def microphone(browser: Browser) -> Iterator[Browser]:
    """A browser with a microphone that beeps and is never refused."""
    kind = browser.browser_type
    flags = [*FLAGS, "--use-fake-device-for-media-stream", "--use-fake-ui-for-media-stream"]
    program = program_of(kind)
    started = kind.launch(executable_path=program, args=flags)
    yield started
    started.close()


def test_a_recording_is_kept_for_its_owner_played_and_deleted(app: App, microphone: Browser) -> None:
    interview_id = begin(app, Setup(mode="practice", questions=1, seconds=60, thinking=0, follow_ups=False))
    page = open_interview(microphone, app, interview_id, permissions=["microphone"])
    page.begin(0)
    expect(page.page.get_by_label("Record", exact=True)).to_be_visible()
    page.press("Escape")
    page.press("r")
    expect(page.page.get_by_label("Stop recording")).to_be_visible()
    page.page.wait_for_timeout(1000)
    page.press("Control+Enter")  # the answer ends, and the recording with it
    page.expect_state("review", 0)
    player = page.page.get_by_test_id("stAudio")
    expect(player).to_be_visible()
    store = app.store()
    interviews = Interviews(store, app.home)
    name = kept(app, interview_id).questions[0].recordings["main"]
    file = interviews.recordings.path(interview_id, name)
    store.close()
    assert file.stat().st_size > 10_000
    if sys.platform != "win32":
        assert stat.S_IMODE(file.stat().st_mode) == 0o600
        assert stat.S_IMODE(file.parent.stat().st_mode) == 0o700
    with page.page.expect_download() as download:
        page.page.get_by_role("button", name="Download").click()
    assert download.value.path().read_bytes() == file.read_bytes()
    page.page.get_by_role("button", name="Delete the recording").click()
    page.page.get_by_role("button", name="Delete for good").click()
    expect(player).to_have_count(0)
    assert not file.exists()
    page.page.context.close()


def test_a_recording_that_cannot_be_kept_stays_in_its_player_and_says_so(
    app: App, microphone: Browser
) -> None:
    setup = Setup(mode="practice", questions=1, seconds=60, thinking=0, follow_ups=False)
    interview_id = begin(app, setup)
    (app.home / "interviews").mkdir(exist_ok=True)
    in_the_way = app.home / "interviews" / interview_id
    in_the_way.write_text("not a folder", encoding="utf-8")
    page = open_interview(microphone, app, interview_id, permissions=["microphone"])
    page.begin(0)
    page.page.keyboard.type("typed all the same")
    page.press("Escape")
    expect(page.page.get_by_label("Record", exact=True)).to_be_visible()
    page.press("r")
    expect(page.page.get_by_label("Stop recording")).to_be_visible()
    page.page.wait_for_timeout(500)
    page.press("Control+Enter")
    page.expect_state("review", 0)
    recorder = page.page.locator(".st-key-interview-recorder")
    expect(recorder.get_by_text("The recording can't be kept")).to_be_visible()
    expect(recorder.get_by_test_id("stAudioInput")).to_be_visible()
    in_the_way.unlink()
    page.press("1")  # whatever is done next tries again
    expect(page.page.get_by_test_id("stAudio")).to_be_visible()
    question = kept(app, interview_id).questions[0]
    assert question.draft("main").text == "typed all the same"
    assert question.recordings == {"main": "1-answer.wav"}
    page.page.context.close()


def test_a_second_tab_goes_on_from_what_the_first_one_typed(app: App, browser: Browser) -> None:
    interview_id = begin(app, REAL)
    first = open_interview(browser, app, interview_id)
    first.begin(0)
    second = InterviewPage(first.page.context.new_page(), first.url)
    second.open()
    second.expect_state("answering", 0)
    first.page.keyboard.type("from the first, ")
    expect(second.notes).to_have_value("from the first, ")
    expect(first.kept).to_have_text("Saved.")  # nothing of the first is on its way any more
    second.notes.focus()
    second.press("Control+End")
    second.page.keyboard.type("and the second")
    expect(second.kept).to_have_text("Saved.")
    expect(first.notes).to_have_value("from the first, and the second")
    first.press("Control+Enter")
    first.expect_state("ready", 1)
    assert text_of(app, interview_id) == "from the first, and the second"
    assert first.errors == []
    assert second.errors == []
    first.page.context.close()
