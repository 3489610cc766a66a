// The recorder is Streamlit's own, below the question: here are only its key and its end at time-up.

const RECORDER = ".st-key-interview-recorder";

function recorderButton(label) {
  return document.querySelector(`${RECORDER} [data-testid="stAudioInput"] button[aria-label="${label}"]`);
}

/** Starts or stops the recording; says whether there is a recorder. */
function toggleRecording() {
  const button = recorderButton("Stop recording") ?? recorderButton("Record");
  button?.click();
  return Boolean(button);
}

/** What was recorded up to now is kept when the answer ends. */
function stopRecording() {
  recorderButton("Stop recording")?.click();
}
