"""Brings one block of the page into view, once: what a link from another page names."""

from __future__ import annotations

import streamlit as st

_JS = """
const brought = new WeakMap();
const LATE_MS = 3000; // blocks above may still be on their way and push it out of view again

export default function ({ data, parentElement: root }) {
  if (brought.get(root) === data.key) return;
  brought.set(root, data.key);
  const until = performance.now() + LATE_MS;
  const moved = new AbortController();
  for (const kind of ["wheel", "touchmove", "keydown", "pointerdown"]) {
    addEventListener(kind, () => moved.abort(), { once: true, capture: true, signal: moved.signal });
  }
  const bring = () => {
    if (moved.signal.aborted || !root.isConnected) return;
    const block = document.getElementsByClassName(`st-key-${data.key}`)[0];
    if (block) {
      block.style.scrollMarginTop = "4.5rem"; // clear of the page's header
      block.scrollIntoView({ block: "start" });
    }
    if (performance.now() < until) setTimeout(bring, 150);
    else moved.abort();
  };
  bring();
}
"""

_mount = st.components.v2.component("benchcards.scroll_to", html="<span></span>", js=_JS)


def scroll_to(container_key: str) -> None:
    """Scrolls to the container with that key; the reader's own scrolling is left alone."""
    _mount(key=f"scroll_to.{container_key}", data={"key": container_key.replace(".", "-")}, height=1)
