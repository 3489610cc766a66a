"""A button that prints the page, everything on it unfolded."""

from __future__ import annotations

import streamlit as st

_HTML = '<button type="button"><span data-part="label"></span></button>'
_CSS = """
button {
  min-height: 2.5rem;
  padding: 0.25rem 0.9rem;
  border: 1px solid var(--st-border-color);
  border-radius: var(--st-button-radius);
  background: var(--st-background-color);
  color: var(--st-text-color);
  font: inherit;
  font-family: var(--st-font);
  cursor: pointer;
}

button:hover {
  border-color: var(--st-primary-color);
  color: var(--st-primary-color);
}

button:focus-visible {
  outline: 2px solid var(--st-link-color);
  outline-offset: 2px;
}

@media print {
  button {
    display: none;
  }
}
"""
_JS = """
export default function ({ data, parentElement: root }) {
  const button = root.querySelector("button");
  button.querySelector('[data-part="label"]').textContent = data.label;
  button.onclick = () => {
    const roots = [...document.querySelectorAll("*")].map(node => node.shadowRoot).filter(Boolean);
    for (const details of [document, ...roots].flatMap(each => [...each.querySelectorAll("details")])) {
      details.open = true;
    }
    window.print();
  };
}
"""

_mount = st.components.v2.component("benchcards.print_button", html=_HTML, css=_CSS, js=_JS)


def print_button(label: str, *, key: str) -> None:
    """Prints by the browser's own dialog, which also saves as PDF."""
    _mount(key=key, data={"label": label}, width="content")
