"""Recording an answer, hearing it again, turning it into text; all of it stays on this machine."""

from __future__ import annotations

from pathlib import Path

import streamlit as st

from app_pages import context
from app_pages.words import knows, say
from engine.interview import speech_model
from engine.interview.fault import RecordingError
from engine.interview.question import Interview, Part, Question
from engine.store import StoreError

KEPT, SAID = "interview.recordings.kept", "interview.recordings.said"
TICK_S = 0.7
PARTS: tuple[Part, ...] = ("main", "follow_up")

HIDDEN = "<style>.st-key-interview-recorder { display: none; }</style>"
SHOWN = "<style>.st-key-interview-recorder { order: 0; }</style>"


def recorder(interview: Interview, question: Question | None) -> None:
    """The recorder of the part that is answered now.

    It stays mounted, unseen, after the part is over: a recording that was just stopped is still on its way.
    So it must stand at the same place of every view of an interview. One that can't be kept stays in view:
    its player is then the only place where it is.
    """
    owner, part, shown = _what(interview, question)
    trouble = None
    with st.container(key="interview-recorder"):
        if owner is not None:
            follow_up = "_follow_up" if part == "follow_up" else ""
            sound = st.audio_input(
                say(f"interview.recording{follow_up}"),
                help=say("interview.recording_help"),
                key=f"interview.recorder.{interview.id}.{owner.place}.{part}",
            )
            if sound is not None:
                trouble = _keep(interview, owner, part, sound.file_id, sound.getvalue())
                if trouble is None:
                    st.caption(say("interview.recording_kept"))
                else:
                    st.error(trouble, icon=":material/mic_off:")
    st.html(SHOWN if shown or trouble is not None else HIDDEN)


def _what(interview: Interview, question: Question | None) -> tuple[Question | None, Part, bool]:
    """Whose recorder it is, of which part, and whether it is seen."""
    if question is not None and question.clock.phase != "ready":
        phase = question.clock.phase
        return (
            question,
            "follow_up" if phase == "following" else "main",
            phase
            in (
                "thinking",
                "answering",
                "following",
            ),
        )
    place = len(interview.questions) if question is None else question.place
    before = [each for each in interview.questions[:place] if each.clock.outcome == "answered"]
    if not before:
        return question, "main", False  # unseen, so that it is loaded when the answer begins
    last = before[-1]
    return last, "follow_up" if last.clock.follow_used_ms is not None else "main", False


def _keep(interview: Interview, question: Question, part: Part, file_id: str, content: bytes) -> str | None:
    """Keeps a recording once; the widget shows it again at every run. Returns why it can't be kept, if so."""
    kept: dict[str, str] = st.session_state.setdefault(KEPT, {})
    name = f"{interview.id}.{question.place}.{part}"
    if kept.get(name) == file_id:
        return None
    try:
        context.interviews().keep_recording(interview.id, question.place, part, content)
    except RecordingError as error:
        return _said_once(recording_trouble(error), file_id)
    except StoreError as error:
        return _said_once(str(error), file_id)
    kept[name] = file_id
    st.rerun()  # the page below was made before the recording came; it doesn't return
    return None


def _said_once(trouble: str, file_id: str) -> str:
    """Also at the edge of the page, once: the recorder may stand below what is in view."""
    if st.session_state.get(SAID) != file_id:
        st.session_state[SAID] = file_id
        st.toast(trouble, icon=":material/mic_off:", duration="long")
    return trouble


def recording_trouble(error: RecordingError) -> str:
    """Why a recording could not be kept or deleted, in the reader's language."""
    return say(f"interview.recording_trouble.{error.doing}", reason=error.reason, path=error.path)


def recordings(interview: Interview, question: Question) -> None:
    """The recordings of an answer: played, downloaded, turned into text, deleted."""
    there = [part for part in PARTS if part in question.recordings]
    if not there:
        return
    st.subheader(say("interview.recordings"), anchor=False)
    for part in there:
        path = context.interviews().recordings.path(interview.id, question.recordings[part])
        key = f"interview.sound.{interview.id}.{question.place}.{part}"
        with st.container(border=True, key=f"interview-sound-{part}"):
            st.markdown(f"**{say(f'interview.part.{part}')}**")
            if path.is_file():
                _one(interview, question, part, path, key)
            else:
                st.caption(say("interview.recording_gone"))


def _one(interview: Interview, question: Question, part: Part, path: Path, key: str) -> None:
    content = path.read_bytes()
    st.audio(content, format="audio/wav")
    with st.container(horizontal=True):
        st.download_button(
            say("interview.download"),
            content,
            file_name=f"benchcards-{interview.id[:8]}-{path.name}",
            mime="audio/wav",
            icon=":material/download:",
            on_click="ignore",
            key=f"{key}.download",
        )
        with st.popover(say("interview.delete_recording"), icon=":material/delete:"):
            st.button(
                say("interview.delete_for_good"),
                type="primary",
                on_click=_delete,
                args=(interview.id, question.place, part),
                key=f"{key}.delete",
            )
    _speech(interview, question, part, path, key)


def _delete(interview_id: str, place: int, part: Part) -> None:
    context.speech().forget(f"{interview_id}.{place}.{part}")
    try:
        context.interviews().delete_recording(interview_id, place, part)
    except RecordingError as error:
        st.toast(recording_trouble(error), icon=":material/error:")


def _speech(interview: Interview, question: Question, part: Part, path: Path, key: str) -> None:
    model = speech_model.load(context.store())
    if model is None:
        st.caption(say("interview.speech_none"))
        return
    name = f"{interview.id}.{question.place}.{part}"
    hearing = context.speech().look(name)
    if hearing is not None and hearing.status == "running":
        st.fragment(_listening, run_every=TICK_S)(name)
        return
    if hearing is not None and hearing.status == "failed":
        code = f"interview.speech_failed.{hearing.code}"
        reason = f"{say(code) if knows(code) else ''} {hearing.message}".strip()
        st.warning(say("interview.speech_failed", reason=reason), icon=":material/hearing_disabled:")
    elif hearing is not None and not hearing.text:
        st.caption(say("interview.transcript_none"))
    st.button(
        say("interview.transcribe"),
        icon=":material/transcribe:",
        key=f"{key}.transcribe",
        on_click=_transcribe,
        args=(name, interview.id, question.place, part, path, model, question.asked.language),
    )


def _transcribe(
    name: str, interview_id: str, place: int, part: Part, path: Path, model: str, language: str
) -> None:
    interviews = context.interviews()
    busy = bool(context.runs().current())  # a lab measures: the GPU is its own
    context.speech().start(
        name,
        path,
        model=model,
        language=language,
        device="cpu" if busy else "auto",
        then=lambda text: interviews.keep_transcript(interview_id, place, part, text),
    )


def _listening(name: str) -> None:
    hearing = context.speech().look(name)
    if hearing is None or hearing.status != "running":
        st.rerun()
    st.progress((hearing.share or 0.0) if hearing else 0.0, text=say("interview.transcribing"))
