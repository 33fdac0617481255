// Sends what a hand changes to Python, a moment after the hand rests, and says when no answer comes.

const REST = 60;
const PATIENCE = 6000;

export class Sender {
  // asks: the names that Python answers with new numbers; onSilence: called when such an answer stays away for seconds.
  constructor(model, asks = [], onSilence = () => {}) {
    Object.assign(this, { model, asks, onSilence, pending: {} });
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
    const asked = this.asks.some((name) => name in this.pending && this.pending[name] !== this.model.get(name));
    Object.entries(this.pending).forEach(([name, value]) => this.model.set(name, value));
    this.pending = {};
    this.model.save_changes();
    if (!asked) return;
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
