/** Outgoing frames: those of one tick share a WebSocket message, up to a size that the peer can parse in one go. */
import { aimedChars } from './wire.ts';
import type { Frame } from './wire.ts';

/**
 * The largest message a peer accepts; a single frame may exceed `aimedChars`. The largest frames have the content of an upstream POST, at
 * most 3 MB, an event of the live feed in base64. [faults: 210]
 */
export const maxMessageBytes = 6 * 1024 * 1024;

interface OutboxEvents {
  write(text: string): void;
  /** From now on the peer may see the frame. */
  left(frame: Frame): void;
  /** The frame exceeds the largest message, which would end the link for all asks. Returns the frame to send instead, or null for none. */
  tooLarge(frame: Frame): Frame | null;
}

export class Outbox {
  readonly #events: OutboxEvents;
  #frames: Frame[] = [];
  messagesSent = 0;

  constructor(events: OutboxEvents) {
    this.#events = events;
  }

  push(frame: Frame): void {
    this.#frames.push(frame);
    if (this.#frames.length === 1) setImmediate(() => this.flush());
  }

  flush(): void {
    const frames = this.#frames;
    this.#frames = [];
    let parts: string[] = [];
    let chars = 0;
    for (const frame of frames) {
      const text = this.#asText(frame);
      if (text === null) continue;
      if (chars > 0 && chars + text.length > aimedChars) {
        this.#write(parts);
        parts = [];
        chars = 0;
      }
      parts.push(text);
      chars += text.length + 1;
      this.#events.left(frame);
    }
    if (parts.length > 0) this.#write(parts);
  }

  clear(): void {
    this.#frames = [];
  }

  #write(parts: readonly string[]): void {
    this.messagesSent += 1;
    this.#events.write(`[${parts.join(',')}]`);
  }

  #asText(frame: Frame): string | null {
    const text = JSON.stringify(frame);
    if (text.length * 3 < maxMessageBytes || Buffer.byteLength(text) + 2 < maxMessageBytes) return text;
    const instead = this.#events.tooLarge(frame);
    return instead === null ? null : JSON.stringify(instead);
  }
}
