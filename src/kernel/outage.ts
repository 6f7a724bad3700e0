import { asError } from './faults.ts';
import type { Log } from './log.ts';

/**
 * Logs one outage of one external service, however many connections are affected and however often they retry: `<name>.away` when the first
 * connection is lost, `<name>.back` when the last is back.
 */
export class Outage {
  readonly #name: string;
  readonly #host: string;
  readonly #log: Log;
  readonly #cutOff = new Set<string>();

  constructor(name: string, host: string, log: Log) {
    this.#name = name;
    this.#host = host;
    this.#log = log;
  }

  get isOn(): boolean {
    return this.#cutOff.size > 0;
  }

  /** Logged without the error's stack, which has no code of this project. */
  away(connection: string, error?: unknown): void {
    if (!this.isOn) {
      const why = error === undefined ? 'the connection ended' : sayReason(asError(error));
      this.#log.warn({ host: this.#host, connection, why }, `${this.#name}.away`);
    }
    this.#cutOff.add(connection);
  }

  back(connection: string): void {
    if (this.#cutOff.delete(connection) && !this.isOn)
      this.#log.info({ host: this.#host }, `${this.#name}.back`);
  }
}

/** A host with several addresses fails with an error that has a code and no message. */
function sayReason(error: Error): string {
  if (error.message !== '') return error.message;
  return 'code' in error ? String(error.code) : error.name;
}
