// What is typed, kept in this browser with each keystroke until the server has it on disk.

const DRAFT_STORAGE = "benchcards.interview.draft.";
const OPS_STORAGE = "benchcards.interview.ops.";

class Drafts {
  constructor() {
    this.held = new Map(); // name -> {interview, place, part, text, seq}
    this.failed = false;
    for (const key of storedKeys(DRAFT_STORAGE)) {
      const draft = readStored(key);
      if (draft && typeof draft.text === "string" && Number.isFinite(draft.seq)) {
        this.held.set(key.slice(DRAFT_STORAGE.length), draft);
      }
    }
  }

  static name(interview, place, part) {
    return `${interview}.${place}.${part}`;
  }

  /** What another tab of this browser typed just now, as its storage tells: the text with its name, or null. */
  static written(event) {
    if (!event.key?.startsWith(DRAFT_STORAGE) || event.newValue === null) return null;
    return { name: event.key.slice(DRAFT_STORAGE.length), ...JSON.parse(event.newValue) };
  }

  get waiting() {
    return this.held.size > 0;
  }

  get all() {
    return [...this.held.values()];
  }

  /** The text that stands for a part: what is held here, where it is newer than the server's. */
  newest(interview, place, part, kept) {
    const held = this.held.get(Drafts.name(interview, place, part));
    return held && held.seq > kept.seq ? held : kept;
  }

  /** Keeps a text under a number above every earlier one; by the clock, so that of two tabs the later counts. */
  keep(interview, place, part, text, after, now) {
    const name = Drafts.name(interview, place, part);
    const before = this.held.get(name);
    const seq = Math.max(after, before?.seq ?? 0, Math.round(now) - 1) + 1;
    const draft = { interview, place, part, text, seq };
    this.held.set(name, draft);
    this.failed = !store(DRAFT_STORAGE + name, draft);
    return draft;
  }

  /** Lets go of what the server has; -1 says that the interview was deleted. */
  settle(saved) {
    for (const [name, seq] of Object.entries(saved)) {
      const draft = this.held.get(name);
      if (draft === undefined || (seq !== -1 && seq < draft.seq)) continue;
      this.held.delete(name);
      const stored = readStored(DRAFT_STORAGE + name);
      if (seq === -1 || !(stored?.seq > seq)) unstore(DRAFT_STORAGE + name); // a newer one is another tab's
    }
  }
}

function storedKeys(prefix) {
  try {
    return Object.keys(localStorage).filter(key => key.startsWith(prefix));
  } catch (error) {
    console.warn("Benchcards: this browser keeps nothing", error);
    return [];
  }
}

function readStored(key) {
  try {
    return JSON.parse(localStorage.getItem(key));
  } catch (error) {
    console.warn("Benchcards: a draft can't be read", error);
    return null;
  }
}

/** Says whether it could be kept: a full or forbidden storage leaves the text in the page only. */
function store(key, value) {
  try {
    localStorage.setItem(key, JSON.stringify(value));
    return true;
  } catch (error) {
    console.warn("Benchcards: what is typed can't be kept over a reload", error);
    return false;
  }
}

function unstore(key) {
  try {
    localStorage.removeItem(key);
  } catch (error) {
    console.warn("Benchcards: a draft can't be removed", error);
  }
}
