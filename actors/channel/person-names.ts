import { lruCache } from '../../src/kernel/lru-cache.ts';

/**
 * Which names are of one person, as far as this node has heard it lately: a number, the number that was dialled for it, and a business-scoped
 * id. The order of sends and of messages that wait for files follows persons, not names. Shared by the channels of a node; a channel whose
 * people have one name each costs nothing. What is forgotten is told again with the person's next message. [spec: Additions; faults: 367]
 */
const maxOfChannel = 1_000;
const maxOfNode = 50_000;
/** Names under which persons were told; some 200 B each. */
const maxTold = 20_000;

/** A number changes its owner, an id its successor: longer chains are no person's. */
const maxSteps = 8;

export class PersonNames {
  /** By channel: a name, and the name that stands for the same person. Channels and names that were told last come last. */
  readonly #channels = new Map<string, Map<string, string>>();
  #size = 0;
  /** By channel and person, as `personOf` names it. */
  readonly #told = lruCache<string>(maxTold);

  /** From now on `name` is of the person with the name `sameAs`. */
  note(channelId: string, name: string, sameAs: string): void {
    if (this.#leadsTo(channelId, sameAs, name)) return;
    const names = this.#channels.get(channelId) ?? new Map<string, string>();
    // Whoever stands for the person from now on is told as before.
    const told = this.#told.get(`${channelId} ${this.personOf(channelId, name)}`);
    if (told !== undefined) this.#told.set(`${channelId} ${this.personOf(channelId, sameAs)}`, told);
    this.#size -= names.size;
    names.delete(name);
    names.set(name, sameAs);
    const [oldest] = names.keys();
    if (names.size > maxOfChannel && oldest !== undefined) names.delete(oldest);
    this.#size += names.size;
    this.#channels.delete(channelId);
    this.#channels.set(channelId, names);
    this.#forgetChannels();
  }

  /** One name of the person, the same for all of its names. */
  personOf(channelId: string, name: string): string {
    const names = this.#channels.get(channelId);
    if (names === undefined) return name;
    let person = name;
    for (const next of stepsFrom(names, name)) person = next;
    return person;
  }

  /**
   * The name under which the person was told first, lately: it stays when upstream tells a further name, so that whoever hears no names, but
   * compares these, sees one person. Of a person of whom nothing was told it is the one of `personOf`, the same on every node.
   */
  firstTold(channelId: string, name: string): string {
    const person = this.personOf(channelId, name);
    const key = `${channelId} ${person}`;
    const first = this.#told.get(key) ?? person;
    this.#told.set(key, first);
    return first;
  }

  /** Then the two are known to be of one person, and noting it would close a circle. */
  #leadsTo(channelId: string, from: string, name: string): boolean {
    if (from === name) return true;
    const names = this.#channels.get(channelId);
    if (names === undefined) return false;
    for (const next of stepsFrom(names, from)) if (next === name) return true;
    return false;
  }

  #forgetChannels(): void {
    for (const [channelId, { size }] of this.#channels) {
      if (this.#size <= maxOfNode) return;
      this.#channels.delete(channelId);
      this.#size -= size;
    }
  }
}

function* stepsFrom(names: ReadonlyMap<string, string>, name: string): Generator<string, void> {
  let next = names.get(name);
  for (let step = 0; step < maxSteps && next !== undefined; step += 1) {
    yield next;
    next = names.get(next);
  }
}
