// The short way to the server: a request that is answered without a run of the page's script. One at a time;
// whatever is done meanwhile goes with the next. Where it fails, Streamlit's way is taken until the page has
// heard from the server by that again.

const ANSWERED_WITHIN = 2000;

class Line {
  constructor() {
    this.address = null;
    this.session = null;
    this.busy = false;
    this.again = false; // something was said while the line was busy
  }

  get open() {
    return this.address !== null;
  }

  /** Opens the line, or closes it where the server has none. */
  to(address, session) {
    this.address = address;
    this.session = session;
  }

  /** Sends what `talk` gives once the line is free. Calls `heard` with the answer, or `failed`. */
  async say(talk, heard, failed) {
    if (this.busy) {
      this.again = true;
      return;
    }
    this.busy = true;
    do {
      this.again = false;
      let answer = null;
      try {
        answer = await this.ask(talk());
      } catch (error) {
        console.warn("Benchcards: answers go by way of the page now", error);
      }
      if (answer === null) {
        this.address = null;
        this.again = false;
        failed();
      } else heard(answer);
    } while (this.again);
    this.busy = false;
  }

  async ask(talk) {
    const response = await fetch(this.address, {
      method: "POST",
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ ...talk, session: this.session }),
      signal: AbortSignal.timeout(ANSWERED_WITHIN),
    });
    if (!response.ok) throw new Error(`the server says ${response.status}`);
    return response.json();
  }
}
