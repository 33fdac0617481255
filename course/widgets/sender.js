// Sends what a hand changes to Python, a moment after the hand rests, and says when no answer comes.

const REST = 60;
const PATIENCE = 6000;

export class Sender {
  // onSilence: called when Python has not answered after some seconds.
  constructor(model, onSilence) {
    Object.assign(this, { model, onSilence, pending: {} });
  }

  send(name, value) {
    this.pending[name] = value;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.flush(), REST);
  }

  // What a control is to show: where the hand has moved it, else what the model holds.
  get(name) {
    return this.pending[name] ?? this.model.get(name);
  }

  flush() {
    Object.entries(this.pending).forEach(([name, value]) => this.model.set(name, value));
    this.pending = {};
    this.model.save_changes();
    if (!this.onSilence) return;
    clearTimeout(this.late);
    this.late = setTimeout(this.onSilence, PATIENCE);
  }

  answered() {
    clearTimeout(this.late);
  }

  destroy() {
    clearTimeout(this.timer);
    clearTimeout(this.late);
  }
}

export const SILENCE = "No answer from the kernel: is it running, or busy? Run the cell again.";
