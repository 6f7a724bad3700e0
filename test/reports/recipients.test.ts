/**
 * Recipients that users of comparable projects met: numbers with the international prefix 00 [gabrieldwight/Whatsapp-Business-Cloud-Api-Net],
 * and people who are known by a business-scoped id only [nyaruka/rapidpro]. [spec: Errors; operator-interface §4]
 */
import { beforeAll, expect, test } from '@jest/globals';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

const send = (recipient: string) => world.send(channels.chatapp, 'Your order is ready.', recipient);

const list = (recipient: string) =>
  world.service.call('GET', `/api/v1/messages?recipient=${encodeURIComponent(recipient)}`, {
    key: account.key,
  });

async function listed(recipient: string): Promise<string[]> {
  const { body } = await list(recipient);
  return body.messages.map(({ message_id }: { message_id: string }) => message_id);
}

test('a number with 00 is refused before upstream is called, and the hint has its right form', async () => {
  const person = newPerson('chatapp');
  for (const written of [`00${person}`, `(00)${person}`, `+00 ${person}`]) {
    const { status, body } = await send(written);
    expect([status, body.detail]).toEqual([
      400,
      {
        code: 'invalid_recipient',
        message: 'recipient is not valid: international_prefix',
        reason: 'international_prefix',
        hint: `Omit the 00: send ${person}.`,
      },
    ]);
  }
  expect(await listed(person)).toEqual([]);
});

test('a search finds a number written with 00 by its right form', async () => {
  const person = newPerson('chatapp');
  const { body } = await send(person);
  expect(await listed(`(00)${person.slice(0, 2)} ${person.slice(2)}`)).toEqual([body.message_id]);
});

test.each([`US.${'aB3'.repeat(42)}zZ`, `US.ENT.${'Zz9'.repeat(42)}aA`])(
  'a send to %s goes to upstream and is found by exactly this id',
  async (id) => {
    const { status, body } = await send(id);
    // The simulator knows nobody of this id; 400 would mean that we refused it.
    expect([status, body.status, body.error_code]).toEqual([200, 'failed', 131009]);
    expect(await listed(id)).toEqual([body.message_id]);
    expect((await list(id.toLowerCase())).body.detail.reason).toBe('not_numeric');
  },
);
