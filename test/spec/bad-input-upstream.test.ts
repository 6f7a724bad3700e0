/** [upstream §1.4, §1.5; faults 48-51; operator-interface §3] Webhook POSTs that claim to come from upstream. */
import { createHash, createHmac } from 'node:crypto';
import { request } from 'node:http';
import { beforeAll, beforeEach, describe, expect, test } from '@jest/globals';
import { call } from '../support/api.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { asset, person } from '../support/world.ts';
import type { Channel } from '../support/world.ts';

const appSecret = 'example-app-secret-0001';
const world = sharedWorld();
let channel: Channel;
beforeAll(async () => {
  channel = await world.connected('pagechat', { events: ['message.received'] });
});
beforeEach(() => world.inbox.clear());

let messages = 0;

/** A message that a person wrote to the channel, as upstream's webhook. */
function inbound(): string {
  messages += 1;
  const message = { mid: `m_forged_${messages}`, text: 'hello / you' };
  const now = Date.now();
  const sender = { id: person.pagechat };
  const item = { sender, recipient: { id: asset.pagechat }, timestamp: now, message };
  const body = { object: 'page', entry: [{ id: asset.pagechat, time: now, messaging: [item] }] };
  return JSON.stringify(body).replaceAll('/', String.raw`\/`);
}

const hmac = (body: string, secret = appSecret, algorithm = 'sha256'): string =>
  createHmac(algorithm, secret).update(body).digest('hex');

/** Sends the headers exactly as given: `fetch` would join or refuse some. */
function post(body: string, signatures: string[], more: Record<string, string> = {}): Promise<number> {
  return new Promise((resolve, reject) => {
    const headers = {
      'content-type': 'application/json',
      'content-length': String(Buffer.byteLength(body)),
      ...more,
      'x-hub-signature-256': signatures,
    };
    const sent = request(`${world.service.url}/upstream/webhooks`, { method: 'POST', headers }, (answer) => {
      answer.resume();
      answer.on('end', () => resolve(answer.statusCode ?? 0));
    });
    sent.on('error', reject);
    sent.end(body);
  });
}

/** If a forged POST made an event, that event would arrive before the event of this later, valid POST. */
async function onlyThisArrives(text: string): Promise<void> {
  await world.write(channel, { text });
  const arrivals = await world.inbox.next(1);
  expect(arrivals.map(({ event }) => event.data['text'])).toEqual([text]);
}

describe('a wrong signature is 401, and the POST makes no event', () => {
  const forged: [string, (body: string) => string[]][] = [
    ['no signature', () => []],
    ['an empty one', () => ['']],
    ['the scheme alone', () => ['sha256=']],
    ['a short one', (body) => [`sha256=${hmac(body).slice(0, -2)}`]],
    ['a long one', (body) => [`sha256=${hmac(body)}00`]],
    ['one of zeros', () => [`sha256=${'0'.repeat(64)}`]],
    ['one in upper case', (body) => [`sha256=${hmac(body).toUpperCase()}`]],
    ['the scheme in upper case', (body) => [`SHA256=${hmac(body)}`]],
    ['no scheme', (body) => [hmac(body)]],
    ['a space in front', (body) => [`sha256= ${hmac(body)}`]],
    ['that of another app', (body) => [`sha256=${hmac(body, 'another-app-secret')}`]],
    ['that of an empty secret', (body) => [`sha256=${hmac(body, '')}`]],
    ['a digest without a secret', (body) => [`sha256=${createHash('sha256').update(body).digest('hex')}`]],
    ['that of another body', () => [`sha256=${hmac(inbound())}`]],
    [
      'that of the body read and written again',
      (body) => [`sha256=${hmac(JSON.stringify(JSON.parse(body)))}`],
    ],
    ['sha1 instead', (body) => [`sha1=${hmac(body, appSecret, 'sha1')}`]],
    ['sha1 named sha256', (body) => [`sha256=${hmac(body, appSecret, 'sha1')}`]],
    ['base64', (body) => [`sha256=${createHmac('sha256', appSecret).update(body).digest('base64')}`]],
    ['a right one and a wrong one', (body) => [`sha256=${hmac(body)}`, `sha256=${'0'.repeat(64)}`]],
    ['a right one twice', (body) => [`sha256=${hmac(body)}`, `sha256=${hmac(body)}`]],
    ['10,000 characters', (body) => [`sha256=${hmac(body)}${'0'.repeat(10_000)}`]],
  ];
  test.each(forged)('%s', async (_name, sign) => {
    const body = inbound();
    expect(await post(body, sign(body))).toBe(401);
  });

  test('only the older header x-hub-signature', async () => {
    const body = inbound();
    expect(await post(body, [], { 'x-hub-signature': `sha1=${hmac(body, appSecret, 'sha1')}` })).toBe(401);
  });

  test.each(['wrong', 'none', 'short', 'uppercase', 'sha1_only', 'other_app', 'twice'])(
    'the simulator signs with signature %s',
    async (signature) => {
      const { answers } = await world.simulator.control('webhooks/raw', {
        body: inbound(),
        signature,
        url: `${world.service.url}/upstream/webhooks`,
        wait: true,
      });
      expect(new Set(answers)).toEqual(new Set([401]));
    },
  );

  test('none of the forged POSTs made an event', async () => {
    const body = inbound();
    expect(await post(body, [`sha256=${hmac(body)}0`])).toBe(401);
    await onlyThisArrives('genuine');
  });
});

describe('a valid signature', () => {
  test('200, and the event is delivered: the forged POSTs failed only because of their signatures', async () => {
    const body = inbound();
    expect(await post(body, [`sha256=${hmac(body)}`])).toBe(200);
    const arrival = await world.inbox.event('message.received');
    expect(arrival.event.data['text']).toBe('hello / you');
  });

  test('a replayed POST is 200 and delivered once', async () => {
    const body = inbound();
    const statuses = [];
    for (let time = 0; time < 3; time += 1) statuses.push(await post(body, [`sha256=${hmac(body)}`]));
    expect(statuses).toEqual([200, 200, 200]);
    await world.inbox.next(1);
    await world.write(channel, { text: 'afterwards' });
    const texts = (await world.inbox.next(2)).map(({ event }) => event.data['text']);
    expect(texts).toEqual(['hello / you', 'afterwards']);
  });

  test.each([
    '{',
    '[]',
    'null',
    '"x"',
    '{"object":"page","entry":{}}',
    `{"object":"page","entry":[{"__proto__":1}]}`,
    '['.repeat(100_000),
  ])('over an unreadable body (%.40s): 200, so that upstream does not retry it for days', async (body) => {
    expect(await post(body, [`sha256=${hmac(body)}`])).toBe(200);
    await onlyThisArrives('and the next is taken');
  });

  test('over an event of a page that is not connected: 200, delivered to nobody', async () => {
    const body = inbound().replaceAll(asset.pagechat, '520000000000999');
    expect(await post(body, [`sha256=${hmac(body)}`])).toBe(200);
    await onlyThisArrives('mine');
  });

  test('over an event of an inactive channel: 200, delivered to nobody', async () => {
    const other = await world.connected('photoapp', { events: ['message.received'] });
    await world.service.call('DELETE', `/api/v1/channels/${other.id}`, { key: other.key });
    const body = inbound().replace('"page"', '"instagram"').replaceAll(asset.pagechat, asset.photoapp);
    expect(await post(body, [`sha256=${hmac(body)}`])).toBe(200);
    await onlyThisArrives('still mine');
  });
});

describe('the verification handshake', () => {
  const handshake = (query: Record<string, string>) =>
    call('GET', `${world.service.url}/upstream/webhooks?${new URLSearchParams(query).toString()}`);
  const right = {
    'hub.mode': 'subscribe',
    'hub.verify_token': 'my-verify-token',
    'hub.challenge': '<b>1158201444</b>',
  };

  test('echoes the challenge, as plain text with nosniff', async () => {
    const answer = await handshake(right);
    expect([answer.status, answer.text]).toEqual([200, '<b>1158201444</b>']);
    expect(answer.headers.get('content-type')).toBe('text/plain; charset=utf-8');
    expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
  });

  test.each([
    ['a wrong token', { ...right, 'hub.verify_token': 'my-verify-tokem' }],
    ['no token', { 'hub.mode': 'subscribe', 'hub.challenge': '1' }],
    ['another mode', { ...right, 'hub.mode': 'unsubscribe' }],
    ['no challenge', { 'hub.mode': 'subscribe', 'hub.verify_token': 'my-verify-token' }],
  ])('%s is 403 and echoes nothing', async (_name, query) => {
    const answer = await handshake(query);
    expect([answer.status, answer.text]).toEqual([403, 'Forbidden']);
  });
});
