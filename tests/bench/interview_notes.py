"""Notes typed up to the last moment before time is up: 20 trials, half of them with an input method.

In each trial something is typed early, and something within the last 300 ms by the countdown: plain letters,
a committed candidate of an input method, or a composition that is still open when time is up. What the page
had in its last input event must stand in the database afterwards; a trial counts when that event came within
the last 300 ms. To reach: 20 of 20.
"""

from __future__ import annotations

import tempfile
from pathlib import Path

from playwright.sync_api import CDPSession, sync_playwright

from engine.interview.setup import Setup
from tests.browser.app import App
from tests.browser.chromium import launch
from tests.browser.interview_page import InterviewPage, begin, kept, open_interview, text_of, write_deck

TRIALS = 20
QUESTIONS = 45
SECONDS = 6
WITHIN_MS = 300
LAST_MS = (290, 240, 190, 140)
WORDS = ("memory", "băng thông", "带宽", "bộ nhớ", "显存")

WATCH = """([deadline]) => {
    window.lastInput = undefined;
    const every = [...document.querySelectorAll("*")];
    const notes = every.map(e => e.shadowRoot?.querySelector("textarea")).find(Boolean);
    notes.addEventListener("input", () => {
        if (!notes.readOnly) window.lastInput = [notes.value, deadline - Date.now()];
    }, {capture: true});
}"""


def compose(session: CDPSession, text: str) -> None:
    """What an input method shows before a candidate is chosen."""
    session.send(
        "Input.imeSetComposition", {"text": text, "selectionStart": len(text), "selectionEnd": len(text)}
    )


def trial(page: InterviewPage, session: CDPSession, number: int) -> None:
    """Types into the question that runs, early and within the last moments."""
    early, late = WORDS[number % len(WORDS)], WORDS[(number + 2) % len(WORDS)]
    page.page.keyboard.insert_text(f"{early} ")
    page.wait_until_left(LAST_MS[number % len(LAST_MS)])
    way = number % 4
    if way == 0:
        page.page.keyboard.type("last")
        return
    compose(session, late)
    if way == 2:
        session.send("Input.insertText", {"text": late})


def main() -> None:
    kept_whole = counted = 0
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        app = App(Path(folder))
        write_deck(app.home, QUESTIONS)
        app.start()
        browser = launch(playwright)
        setup = Setup(
            mode="real", questions=QUESTIONS, seconds=SECONDS, thinking=0, follow_ups=False, live=False
        )
        interview_id = begin(app, setup)
        page = open_interview(browser, app, interview_id)
        session = page.page.context.new_cdp_session(page.page)
        for number in range(QUESTIONS):
            page.begin(number)
            deadline = kept(app, interview_id).questions[number].clock.deadline_ms
            page.page.evaluate(WATCH, [deadline])
            trial(page, session, number)
            if number + 1 < QUESTIONS:
                page.expect_state("ready", number + 1)
            else:
                page.expect_state("review", 0)
            page.expect_confirmed()
            text, left = page.page.evaluate("() => window.lastInput ?? ['', 1e9]")
            if not 0 < left <= WITHIN_MS:
                continue  # this machine was too slow to type in the last moments
            counted += 1
            held = text_of(app, interview_id, number)
            kept_whole += held == text
            print(f"trial {counted}: last keystroke {left:.0f} ms before time was up, {held == text}")
            if held != text:
                print(f"  typed {text!r}, kept {held!r}")
            if counted == TRIALS:
                break
        browser.close()
        app.stop()
    print(f"kept: {kept_whole} of {counted} trials (to reach: all of {TRIALS})")


if __name__ == "__main__":
    main()
