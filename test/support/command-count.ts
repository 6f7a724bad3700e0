/** Counts the commands that a MongoDB client sends, by command monitoring. */
import type { MongoClient } from 'mongodb';

/** Commands that the driver sends by itself. */
const ofTheDriver = new Set(['hello', 'ping', 'endSessions', 'isMaster', 'ismaster']);

export class CommandCount {
  readonly #names: string[] = [];
  #inFlight = 0;
  #rounds = 0;

  /** The client needs the option `monitorCommands`. */
  constructor(client: MongoClient) {
    client.on('commandStarted', ({ commandName }) => {
      if (ofTheDriver.has(commandName)) return;
      this.#names.push(commandName);
      if (this.#inFlight === 0) this.#rounds += 1;
      this.#inFlight += 1;
    });
    const ended = ({ commandName }: { commandName: string }): void => {
      if (!ofTheDriver.has(commandName)) this.#inFlight -= 1;
    };
    client.on('commandSucceeded', ended);
    client.on('commandFailed', ended);
  }

  clear(): void {
    this.#names.length = 0;
  }

  /** The number of commands since the last `clear`, by command name. */
  all(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const name of this.#names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  }

  /** How often a command was sent while no other was in flight: commands that are sent together count as one round trip. */
  rounds(): number {
    return this.#rounds;
  }
}
