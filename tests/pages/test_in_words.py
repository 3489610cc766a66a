"""A callback whose write fails: the reader is told, and the page is drawn as always."""

from __future__ import annotations

from streamlit.testing.v1 import AppTest


def page() -> None:
    import streamlit as st

    from app_pages.in_words import in_words
    from engine.store import StoreError

    @in_words
    def save(path: str) -> None:
        raise StoreError(f"{path} is read-only: allow writing to it")

    st.button("Save", on_click=save, args=("here.db",))
    st.text("below")


def test_a_write_that_fails_is_told_and_the_page_goes_on() -> None:
    app = AppTest.from_function(page).run()
    app.button[0].click().run()
    assert [toast.value for toast in app.toast] == ["here.db is read-only: allow writing to it"]
    assert [text.value for text in app.text] == ["below"]
    assert not app.exception
