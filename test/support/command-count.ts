/** The commands that a MongoDB client puts on the wire, by command monitoring. */
import type { MongoClient } from 'mongodb';

/** What the driver says by itself. */
const ofTheDriver = new Set(['hello', 'ping', 'endSessions', 'isMaster', 'ismaster']);

export class CommandCount {
  readonly #names: string[] = [];
  #underWay = 0;
  #rounds = 0;

  /** The client must be told to monitor its commands. */
  constructor(client: MongoClient) {
    client.on('commandStarted', ({ commandName }) => {
      if (ofTheDriver.has(commandName)) return;
      this.#names.push(commandName);
      if (this.#underWay === 0) this.#rounds += 1;
      this.#underWay += 1;
    });
    const ended = ({ commandName }: { commandName: string }): void => {
      if (!ofTheDriver.has(commandName)) this.#underWay -= 1;
    };
    client.on('commandSucceeded', ended);
    client.on('commandFailed', ended);
  }

  clear(): void {
    this.#names.length = 0;
  }

  /** By name. */
  all(): Record<string, number> {
    const counts: Record<string, number> = {};
    for (const name of this.#names) counts[name] = (counts[name] ?? 0) + 1;
    return counts;
  }

  /** How often something was asked while nothing was under way: what goes out together is one round. */
  rounds(): number {
    return this.#rounds;
  }
}
