/** The mail before an API key ends. */
import { writeMoment, writeText } from '../../rules/mails/letter.ts';
import type { Letter } from '../../rules/mails/letter.ts';
import { showKey } from '../../rules/api-key.ts';
import { dayMs } from '../../kernel/clock.ts';
import { idFrom } from '../../kernel/ids.ts';
import { writeMail } from '../mails/index.ts';
import type { World } from '../world.ts';
import type { ApiKey } from '../accounts/index.ts';

const remindedBeforeMs = 7 * dayMs;
const perQuery = 100;

/** Mails each account once when a key ends within a week. Of a key that was made for less than a week nobody needs to be reminded. */
export class KeyReminders {
  readonly #world: World;
  /** Where the next run begins; a node that takes over starts from now. */
  #place = { endsAt: 0, id: '' };

  constructor(world: World) {
    this.#world = world;
  }

  async remind(): Promise<void> {
    const now = this.#world.clock.now();
    const until = now + remindedBeforeMs;
    if (this.#place.endsAt < now) this.#place = { endsAt: now, id: '' };
    for (;;) {
      const found = await this.#world.stores.keys.ending({ after: this.#place, until, limit: perQuery });
      for (const key of found) {
        await this.#remindOf(key);
        this.#place = { endsAt: key.endsAt ?? until, id: key.id };
      }
      if (found.length < perQuery) return;
    }
  }

  async #remindOf(key: ApiKey): Promise<void> {
    const { id, accountId, createdAt, endsAt, revokedAt } = key;
    if (endsAt === null || revokedAt !== null || endsAt - createdAt <= remindedBeforeMs) return;
    const letter = keyEnding(key, endsAt, this.#world.settings.baseUrl);
    const mailId = idFrom('mail', 'key-ending', id);
    await writeMail(this.#world, { ...letter, id: mailId, accountId, kind: 'key-ending' });
  }
}

function keyEnding(key: ApiKey, endsAt: number, baseUrl: string): Letter {
  const end = writeMoment(endsAt);
  return {
    subject: `An API key ends on ${end.slice(0, 10)}`,
    lines: [
      `The API key "${writeText(key.name ?? showKey(key))}" (${showKey(key)}) is refused from ${end} on.`,
      'What to do: make another key before then, and give it to the program that uses this one.',
      `API keys: ${baseUrl}/portal/keys`,
    ],
  };
}
