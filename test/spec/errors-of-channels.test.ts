/** [spec: Errors 3; HTTP status codes 400, 402] Refusals that depend on the channel: codes, inactive, without a licence. */
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { allowRedirect, newBusiness, setupUrl } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { newAccount, person } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let chatapp: Channel;
let pagechat: Channel;
let photoapp: Channel;
beforeAll(async () => {
  account = await newAccount(world.service);
  chatapp = await world.connect(account, 'chatapp', { events: [] });
  pagechat = await world.connect(account, 'pagechat', { events: [] });
  photoapp = await world.connect(account, 'photoapp', { events: [] });
});

const post = (path: string, body: unknown): Promise<Answer> =>
  world.service.call('POST', path, { key: account.key, body });
const send = (channel: Channel, recipient: string, text = 'hello'): Promise<Answer> =>
  post('/api/v1/messages/send', { channel_id: channel.id, recipient, text });
const shortOf = ({ status, body }: Answer): unknown => [status, body];

/** The number of calls that reached upstream. */
async function sends(): Promise<number> {
  return (await world.simulator.control('sends?outcome=all')).total;
}

describe('some domain validation errors: detail is an object with a code', () => {
  let before: number;
  beforeEach(async () => {
    before = await sends();
  });
  const untouched = async (): Promise<void> => expect(await sends()).toBe(before);

  test.each([
    ['chatapp', 4096],
    ['pagechat', 2000],
    ['photoapp', 1000],
  ] as const)('400 text_too_long: %s allows %i', async (type, limit) => {
    const channel = { chatapp, pagechat, photoapp }[type];
    const answer = await send(channel, person[type], 'x'.repeat(limit + 1));
    expect(shortOf(answer)).toEqual([
      400,
      {
        detail: {
          code: 'text_too_long',
          message: `text has ${limit + 1} characters; ${type} allows ${limit}`,
          limit,
          length: limit + 1,
          channel_type: type,
        },
      },
    ]);
    await untouched();
    expect((await send(channel, person[type], 'x'.repeat(limit))).body.status).toBe('sent');
  });

  // test/rules/channels covers each reason.
  const number =
    'Send the phone number with country code, digits only, for example 4915900000777, or the data.from of a received message.';
  const scoped = 'Send the numeric user id exactly as it came in data.from of a received message.';
  test.each([
    ['chatapp', '49159x00777', 'not_numeric', number],
    [
      'chatapp',
      '+49 (0) 159',
      'trunk_prefix',
      `Omit the (0): it is dialled only within the country. ${number}`,
    ],
    ['photoapp', 'harbour.bakery', 'no_digits', scoped],
    ['pagechat', '', 'empty', scoped],
  ] as const)('400 invalid_recipient: %s %j is %s', async (type, recipient, reason, hint) => {
    const answer = await send({ chatapp, pagechat, photoapp }[type], recipient);
    expect(shortOf(answer)).toEqual([
      400,
      {
        detail: {
          code: 'invalid_recipient',
          message: `recipient is not valid: ${reason}`,
          reason,
          hint,
        },
      },
    ]);
    await untouched();
  });

  test.each(['15550100042', '+1 555-010-0042'])('400 recipient_equals_sender: %s', async (own) => {
    expect(shortOf(await send(chatapp, own))).toEqual([
      400,
      { detail: { code: 'recipient_equals_sender', message: "recipient is the channel's own number" } },
    ]);
    await untouched();
  });
});

async function someChannel(): Promise<{ owner: Account; channel: Channel }> {
  const owner = await newAccount(world.service);
  const { pages } = await newBusiness(world.simulator);
  return { owner, channel: await world.connect(owner, 'pagechat', { upstream: pages[0]?.id ?? '' }) };
}

describe('a channel that cannot be used', () => {
  test('inactive: 400', async () => {
    const { owner, channel } = await someChannel();
    await world.service.call('DELETE', `/api/v1/channels/${channel.id}`, { key: owner.key });
    expect(shortOf(await world.send(channel, 'hello', '88001'))).toEqual([
      400,
      { detail: 'The channel is inactive; connect it again to use it' },
    ]);
  });

  test.each(['expired', 'canceled'] as const)('402: its subscription is %s', async (status) => {
    const { owner, channel } = await someChannel();
    const patched = await world.service.admin('PATCH', `/subscriptions/${owner.subscriptionId}`, { status });
    expect(patched.body.status).toBe(status);
    expect(shortOf(await world.send(channel, 'hello', '88001'))).toEqual([
      402,
      { detail: `The channel's licence is not active (status: ${status})` },
    ]);
    const back = { status: 'active' };
    await world.service.admin('PATCH', `/subscriptions/${owner.subscriptionId}`, back);
    expect((await world.send(channel, 'hello', '88001')).status).toBe(200);
  });

  test('402: no licence is bound', async () => {
    const { channel } = await someChannel();
    await world.service.admin('PATCH', `/channels/${channel.id}`, { subscription_id: null });
    expect(shortOf(await world.send(channel, 'hello', '88001'))).toEqual([
      402,
      { detail: "The channel's licence is not active (status: none)" },
    ]);
  });

  test('402: no free slot', async () => {
    await allowRedirect(world.service, account.key);
    expect(shortOf(await setupUrl(world.service, account.key, 'chatapp'))).toEqual([
      402,
      {
        detail: expect.stringMatching(
          /^No free chatapp slot: every active licence already has a channel of this type/,
        ),
      },
    ]);
  });
});
