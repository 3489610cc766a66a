"""The review of one browser session: who looks, at which cards, and what its operations came to.

It is spoken to from two sides at once: the page's script, which also draws the evidence, and the route that
answers a grade without a run of that script (`app_pages.review_routes`). One at a time is answered, and each
answer says how many came before it (`stand`): the client leaves an older queue than it has alone.
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from dataclasses import asdict, replace
from datetime import datetime
from typing import Any
from uuid import uuid4
from weakref import WeakValueDictionary

from app_pages import context
from app_pages.due_title import Shown, title_for
from app_pages.review_card.noting import Noting
from app_pages.review_card.payload import Reader, payload
from app_pages.review_card.practising import Practising
from app_pages.review_card.predicting import Predicting
from app_pages.review_card.talk import Edit, Ledger, Talk, View
from engine.claims import sightings
from engine.store import StoreError
from engine.study.desk import Queue
from engine.study.scope import Narrowed

_sessions: WeakValueDictionary[str, ReviewSession] = WeakValueDictionary()


class ReviewSession:
    """Safe to share between threads. Lives as long as the browser session that holds it."""

    def __init__(self, shown: Shown) -> None:
        self.id = uuid4().hex
        self._shown = shown
        self._lock = threading.Lock()
        self._ledger = Ledger()
        self._stand = 0
        self._newest: tuple[str, int] = ("", 0)
        self._view: View | None = None
        self._edit: Edit | None = None
        self._unwritten: str | None = None
        self._reader: Reader | None = None
        self._decks: Narrowed = None
        _sessions[self.id] = self

    @property
    def view(self) -> View | None:
        """The card that is in view, as the client said last, whichever way it said so."""
        return self._view

    @property
    def edit(self) -> Edit | None:
        """The card whose text is to be edited, or is being, as the client said last."""
        return self._edit

    @property
    def unwritten(self) -> str | None:
        """Why nothing could be written when an answer was last revealed."""
        return self._unwritten

    def look(self, reader: Reader, decks: Narrowed) -> None:
        """Keeps who looks and at which decks: only the page's script knows."""
        with self._lock:
            self._reader, self._decks = reader, decks

    def carry_out(self, talk: Talk) -> None:
        """Carries out what the client asks for; then a revealed answer counts as seen."""
        with self._lock:
            self._carry_out(talk)

    def respond(self, talk: Talk) -> tuple[dict[str, Any], Queue]:
        """Carries out what the client asks for. What the component is told then, and the queue it shows.

        Raises StoreError, UnknownZone.
        """
        with self._lock:
            self._carry_out(talk)
            self._stand += 1
            data, queue = payload(
                reader=replace(self._known(), now=context.now()),
                library=context.library(),
                desk=context.house().desk,
                faces=context.faces(),
                talk=talk,
                outcomes=self._ledger.of(talk.ops),
                decks=self._decks,
            )
            view = self._view
            drawn = None if view is None or not view.revealed else asdict(view)
            return data | {"stand": self._stand, "drawn": drawn}, queue

    def respond_alone(self, talk: Talk) -> dict[str, Any]:
        """What the component is told without a run of the page's script: with the title of the browser's tab,
        and without the words, which it has."""
        data, queue = self.respond(talk)
        self._shown.title = title_for(queue.counts, self._known().language)
        del data["words"], data["drawn"], data["line"]
        return data | {"title": self._shown.title}

    def _known(self) -> Reader:
        if self._reader is None:
            raise RuntimeError("the page's script says who looks (`look`) before it shows anything")
        return self._reader

    def _carry_out(self, talk: Talk) -> None:
        if self._reader is None:  # no run of the script yet: the one that follows carries it out
            return
        reader, store, now = self._known(), context.store(), context.now()
        self._ledger.carry_out(
            talk.ops,
            desk=context.house().desk,
            zone=reader.zone,
            now=now,
            predicting=Predicting(
                store=store,
                library=context.library,
                language=reader.language,
                zone=reader.zone,
                picked=context.as_if_gpu(),
            ),
            practising=Practising(store),
            noting=Noting(store, reader.zone),
        )
        page, number = talk.number
        if page != self._newest[0] or number > self._newest[1]:
            self._newest, self._view, self._edit = talk.number, talk.view, talk.edit
        if talk.view is not None and talk.view.revealed:
            self._seen(sightings.of_card(talk.view.card_id), now, reader.zone)

    def _seen(self, subject: str, now: datetime, zone: str) -> None:
        """A full or read-only disk is told on the page: an answer to come would be lost there too."""
        try:
            sightings.note(context.store(), [subject], now=now, zone=zone)
        except StoreError as error:
            self._unwritten = str(error)
        else:
            self._unwritten = None


def session_of(session_id: str) -> ReviewSession | None:
    """The review of a browser session of this process; None once it is over."""
    return _sessions.get(session_id)


def heard(state: object) -> Talk:
    """What the component said last by way of Streamlit, from its state."""
    return Talk.read(state.get("talk") if isinstance(state, Mapping) else None)
