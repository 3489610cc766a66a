// The question that is asked: what is typed, and what is done. The course of parts comes from the server as
// instants; which part it is now follows from its clock alone.

const CALM_MS = 900; // keys pressed as time ran out were meant for the notes
const SURE_MS = 4000;

const PART_OF = { thinking: "main", answering: "main", predicting: "predict", following: "follow_up" };

class Asking extends AskScreen {
  constructor(room) {
    super(room);
    this.field = null; // {part, place, name, base}: which text the field in view is for
    this.lockedAt = 0;
    const p = this.parts;
    this.guard = new FieldGuard(
      () => (this.field === null || this.field.node.readOnly ? null : this.field.node),
      node => this.typed(node),
    );
    for (const field of [p.notes, p.number]) {
      this.guard.watch(field);
      // `input` also comes with each change of a composition, which counts as typed
      field.addEventListener("input", () => this.typed(field));
      field.addEventListener("compositionstart", () => {
        this.composing = true;
      });
      field.addEventListener("compositionend", () => {
        this.composing = false;
        this.typed(field);
      });
    }
    p.number.addEventListener("keydown", event => {
      if (event.key === "Enter" && !event.isComposing && !event.repeat) {
        event.preventDefault();
        this.finish();
      }
    });
    p.go.onclick = () => this.go();
    p.pause.onclick = () => this.pause();
    p.hint.onclick = () => this.hint();
    p.skip.onclick = () => this.skip(true);
  }

  // --- what the server says ------------------------------------------------------------------------

  receive(data) {
    const before = this.data;
    const same = before !== null && before.interview === data.interview && before.place === data.place;
    if (before !== null && !(same && this.phaseOf(before) === data.phase)) this.capture();
    this.data = data;
    if (!same || before.phase !== data.phase) {
      this.said.clear();
      this.overSaid = false;
      this.asked = null;
      this.closing = null;
      this.calm();
    }
    this.draw();
  }

  /** The part that runs now, by the clock; `over` when the last one's time is up and the server has yet to say. */
  phaseOf(data) {
    if (data.paused || data.course.length === 0) return data.phase;
    const now = this.room.clock.now;
    return data.course.find(each => each.until_ms > now)?.phase ?? "over";
  }

  get phase() {
    return this.closing ?? this.phaseOf(this.data);
  }

  leftMs() {
    const { data } = this;
    if (data.course.length === 0) return null;
    if (data.paused) return data.course[0].until_ms - data.now_ms;
    const now = this.room.clock.now;
    const stretch = data.course.find(each => each.until_ms > now);
    return stretch ? stretch.until_ms - now : 0;
  }

  // --- what is typed -------------------------------------------------------------------------------

  typed(field) {
    if (this.field === null || field !== this.field.node || field.readOnly) return;
    this.keep(field.value);
    this.room.post.soon();
  }

  keep(text) {
    const { field } = this;
    if (text === field.text) return;
    const kept = this.room.drafts.keep(field.interview, field.place, field.part, text, field.seq, this.room.clock.now);
    field.text = text;
    field.seq = kept.seq;
    this.drawKept();
  }

  /** Another tab typed on. Where nothing of this field is still on its way, it goes on from that text. */
  elsewhere(draft) {
    const { field } = this;
    if (draft === null || field === null || draft.name !== field.name || draft.seq <= field.seq) return;
    if (field.node.readOnly || this.composing || this.room.drafts.held.has(field.name)) return;
    field.seq = draft.seq;
    if (draft.text === field.text) return;
    field.text = draft.text;
    field.node.value = draft.text;
  }

  /** Takes what stands in the field, an unfinished composition too. */
  capture() {
    if (this.field !== null && !this.field.node.readOnly) this.keep(this.field.node.value);
  }

  /** Time is up or the answer was ended: the field holds what it held at this moment. */
  lock() {
    if (this.field === null || this.field.node.readOnly) return;
    this.capture();
    const { node, text } = this.field;
    node.readOnly = true;
    node.blur(); // an open composition ends; what it leaves in the field is put right
    node.value = text;
    this.lockedAt = performance.now();
  }

  // --- what is done --------------------------------------------------------------------------------

  act(meaning) {
    const phase = this.phase;
    switch (meaning.name) {
      case "go":
        this.go();
        return true;
      case "finish":
        if (!(phase in PART_OF)) return false;
        this.finish();
        return true;
      case "leave":
        this.field?.node.blur();
        return true;
      case "notes":
        if (this.field === null || this.field.node.readOnly) return false;
        this.field.node.focus();
        return true;
      case "record":
        return toggleRecording();
      case "pause":
        return this.pause();
      case "hint":
        return this.hint();
      case "skip":
        return this.skip(false);
      default:
        return false;
    }
  }

  step(deed, phase) {
    const { interview, place } = this.data;
    this.room.post.add({ type: "step", interview, place, deed, phase, at_ms: Math.round(this.room.clock.now) });
  }

  go() {
    if (performance.now() - this.lockedAt < CALM_MS) return;
    const { data } = this;
    if (data.paused) {
      this.pause();
      return;
    }
    const phase = this.phase;
    if (phase === "ready" || phase === "predict_ready" || phase === "follow_ready") {
      if (this.asked === phase) return; // on its way
      this.asked = phase;
      this.step("begin", phase);
      this.draw();
    } else if (phase in PART_OF) {
      this.finish();
    }
  }

  finish() {
    const phase = this.phase;
    if (!(phase in PART_OF) || this.closing) return;
    if (phase !== "thinking") {
      this.lock();
      this.closing = "over";
      this.lockedAt = performance.now() - CALM_MS / 2;
      if (phase !== "predicting") stopRecording();
    } else {
      this.capture();
    }
    this.step("finish", phase);
    this.draw();
  }

  /** The question whether to skip no longer stands. */
  calm() {
    if (this.skipAsked === undefined) return;
    this.skipAsked = undefined;
    this.room.note();
  }

  skip(sure) {
    const phase = this.phase;
    if (phase === "over") return false;
    if (!sure && this.skipAsked === undefined) {
      this.skipAsked = performance.now();
      this.room.note(this.room.words.skip_again);
      return true;
    }
    this.calm();
    this.lock();
    stopRecording();
    this.step("skip", phase);
    this.closing = "over";
    this.draw();
    return true;
  }

  pause() {
    if (this.data.mode !== "practice" || !(this.data.paused || this.phase in PART_OF)) return false;
    this.capture();
    this.step(this.data.paused ? "resume" : "pause", this.data.paused ? this.data.phase : this.phase);
    return true;
  }

  hint() {
    const { data } = this;
    if (!["thinking", "answering"].includes(this.phase) || data.hints_shown >= data.hints.length) return false;
    data.hints_shown += 1;
    const { interview, place } = data;
    this.room.post.add({ type: "hint", interview, place, hints: data.hints_shown });
    this.drawHints();
    this.room.say(data.hints[data.hints_shown - 1]);
    return true;
  }

  // --- the clock -----------------------------------------------------------------------------------

  tick() {
    if (this.data === null) return;
    const phase = this.phase;
    if (this.skipAsked !== undefined && performance.now() - this.skipAsked > SURE_MS) this.calm();
    if (phase === "over") this.over(); // also where the server's word of an earlier text drew it first
    if (phase !== this.drawn) this.draw();
    this.drawClock(phase);
  }

  /** The last part's time is up. */
  over() {
    if (this.overSaid) return;
    this.overSaid = true;
    this.lock();
    stopRecording();
    if (this.closing) return;
    const { interview, place } = this.data;
    this.room.post.add({ type: "settle", interview, place });
    this.room.shout(this.room.words.time_up);
  }
}
