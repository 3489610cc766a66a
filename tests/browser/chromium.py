"""The Chromium that browser tests drive: the system's, else Playwright's own.

`python -m tests.browser.chromium --find` says which one that is, and fetches Playwright's own where there is
neither and the network allows it.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

from playwright.sync_api import Browser, BrowserType, Playwright, sync_playwright

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome")
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-default-apps",
    "--disable-sync",
    "--no-first-run",
)
NONE = (
    "No Chromium was found, so the browser tests do not run. Install one (Debian, Ubuntu: apt install "
    "chromium), name one by CHROMIUM=/path, or run: python -m playwright install chromium"
)


class NoChromium(Exception):
    """There is none; the message says what to do."""


def find(playwright: Playwright) -> Path:
    """The program to start. Raises NoChromium."""
    return program_of(playwright.chromium)


def program_of(kind: BrowserType) -> Path:
    """The same, for those who hold a browser. Raises NoChromium."""
    named = os.environ.get("CHROMIUM")
    system = [shutil.which(name) for name in (named, *NAMES) if name]
    for found in (*system, kind.executable_path):
        if found and Path(found).is_file():
            return Path(found)
    raise NoChromium(NONE)


def launch(playwright: Playwright) -> Browser:
    """A headless browser that talks to nobody but the page. Raises NoChromium."""
    return playwright.chromium.launch(executable_path=find(playwright), args=list(FLAGS))


def main() -> int:
    """Says which Chromium is used; fetches one where there is none. Exit status 1: none could be had."""
    with sync_playwright() as playwright:
        try:
            print(f"Browser tests use {find(playwright)}")
        except NoChromium:
            fetch = [sys.executable, "-m", "playwright", "install", "chromium"]
            subprocess.run(fetch, check=False, timeout=900)
        else:
            return 0
        try:
            print(f"Browser tests use {find(playwright)}")
        except NoChromium as none:
            print(none)
            return 1
        return 0


if __name__ == "__main__":
    raise SystemExit(main())
