/** How a node parses the frames of a peer of its own build, a newer one, or none. [faults: 32] */
import { describe, expect, test } from '@jest/globals';
import { linkUrl, reachable } from '../../src/ownership/member.ts';
import { maxMessageBytes } from '../../src/ownership/outbox.ts';
import { aimedChars, nameAsk, parseFrames } from '../../src/ownership/wire.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import { upstreamBodyLimit } from '../../src/http/middleware/read-body.ts';

const [id, channelId] = [7, 'channel-1'];
const said = (...frames: unknown[]): unknown => parseFrames(JSON.stringify(frames));

describe('a frame of our build is accepted', () => {
  test.each([
    ...['send', 'take-facts', 'reload', 'inspect', 'retry-delivery', 'emit'].map((type) => ({
      f: 'ask',
      id,
      channelId,
      ask: { type, more: 1 },
    })),
    ...['settings-changed', 'wake', 'replay'].map((type) => ({
      f: 'tell',
      channelId,
      tell: { type },
      frees: 'store',
    })),
    ...['moved', 'lost', 'unavailable', 'suspended', 'fault'].map((why) => ({
      f: 'refusal',
      id,
      refusal: { why, code: 'x' },
    })),
    ...['status', 'drain'].map((ask) => ({ f: 'askNode', id, ask })),
    ...['redis', 'links'].map((way) => ({ f: 'listens', way })),
    { f: 'reply', id, reply: { status: 'sent' } },
    { f: 'changed', channelId, apiKeyId: null },
    { f: 'changed', channelId: null, apiKeyId: 'key-1' },
    { f: 'event', channel: 'events', packet: 'c2VhbGVk' },
    { f: 'look' },
    { f: 'drains' },
    { f: 'bye' },
    { f: 'ping', id },
  ])('%j', (frame) => {
    expect(said(frame)).toEqual([frame]);
  });
});

describe('a large message [faults: 210]', () => {
  const nested = (levels: number, padding: number) =>
    `[{"f":"reply","id":7,"reply":[${'['.repeat(levels)}${']'.repeat(levels)},"${'x'.repeat(padding)}"]}]`;

  test('is not parsed if it nests deeper than any frame', () => {
    expect(parseFrames(nested(64 + 32, aimedChars))).toHaveLength(1);
    expect(parseFrames(nested(160, aimedChars))).toBeNull();
  });

  test('has room for what the largest POST of upstream says, as an event of the live feed too', () => {
    const text = 'x'.repeat(upstreamBodyLimit);
    const packet = Buffer.from(JSON.stringify({ text })).toString('base64');
    const frames = [
      { f: 'ask', id, channelId, ask: { type: 'take-facts', facts: [{ text }] } },
      { f: 'event', packet },
    ];
    for (const frame of frames) expect(JSON.stringify([frame]).length).toBeLessThan(maxMessageBytes);
    expect(maxMessageBytes).toBeLessThan(2 * Buffer.byteLength(packet));
  });
});

test('the frames of one message come in their order; an empty message has none', () => {
  expect([said({ f: 'ping', id: 1 }, { f: 'look' }, { f: 'ping', id: 2 }), said()]).toEqual([
    [{ f: 'ping', id: 1 }, { f: 'look' }, { f: 'ping', id: 2 }],
    [],
  ]);
});

test('a tell of an earlier build does not say where its sender frees channels: in Redis', () => {
  const tell = { f: 'tell', channelId, tell: { type: 'wake' } };
  expect(said(tell, { ...tell, frees: 'sea' })).toEqual([1, 2].map(() => ({ ...tell, frees: 'redis' })));
});

test('a tell says whether its channel is given to the receiver', () => {
  const tell = { f: 'tell', channelId, tell: { type: 'wake' }, frees: 'store' };
  expect(said({ ...tell, isGiven: true }, { ...tell, isGiven: 'yes' })).toEqual([
    { ...tell, isGiven: true },
    tell,
  ]);
});

describe('a frame of a newer build', () => {
  test.each([
    [{ f: 'sing' }, []],
    [{ f: 'tell', channelId, tell: { type: 'sing' } }, []],
    [{ f: 'ask', id, channelId, ask: { type: 'sing' } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: { type: 'toString' } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: { type: 'send:sing' } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: { type: 'send:voice+sing' } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: { type: 'send:' } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: { type: ['send'] } }, [{ f: 'unknownAsk', id }]],
    [{ f: 'ask', id, channelId, ask: {} }, [{ f: 'unknownAsk', id }]],
    [{ f: 'askNode', id, ask: 'sing' }, [{ f: 'unknownAsk', id }]],
    [{ f: 'refusal', id, refusal: { why: 'tired' } }, [{ f: 'refusal', id, refusal: { why: 'lost' } }]],
    [{ f: 'listens', way: 'smoke' }, [{ f: 'listens', way: 'links' }]],
    [{ f: 'changed', channelId: 7, apiKeyId: 8 }, [{ f: 'changed', channelId: null, apiKeyId: null }]],
    [{ f: 'changed' }, [{ f: 'changed', channelId: null, apiKeyId: null }]],
  ])('%j is read as %j, and the link stays open', (frame, read) => {
    expect(said(frame, { f: 'look' })).toEqual([...read, { f: 'look' }]);
  });
});

describe('an invalid message ends the link', () => {
  test.each([
    '',
    '{',
    'null',
    '7',
    '{"f":"look"}',
    '[null]',
    '[[]]',
    '["look"]',
    '[{}]',
    '[{"f":7}]',
    '[{"f":"look"},{}]',
    '[{"f":"ping"}]',
    '[{"f":"ping","id":"7"}]',
    '[{"f":"reply","reply":1}]',
    '[{"f":"askNode","ask":"status"}]',
    '[{"f":"ask","channelId":"c","ask":{"type":"inspect"}}]',
    '[{"f":"ask","id":7,"ask":{"type":"inspect"}}]',
    '[{"f":"ask","id":7,"channelId":"c"}]',
    '[{"f":"ask","id":7,"channelId":"c","ask":null}]',
    '[{"f":"ask","id":7,"channelId":"c","ask":[]}]',
    '[{"f":"tell","tell":{"type":"wake"}}]',
    '[{"f":"tell","channelId":"c"}]',
    '[{"f":"refusal","refusal":{"why":"lost"}}]',
    '[{"f":"refusal","id":7}]',
    '[{"f":"event","channel":"events"}]',
    '[{"f":"event","packet":"c2VhbGVk"}]',
  ])('%s', (text) => {
    expect(parseFrames(text)).toBeNull();
  });
});

describe('the address at which other nodes reach this one [operator-interface §2: INTERNAL_URL]', () => {
  test.each([
    ['http://node-1:3001', 'wss://node-1:3001'],
    ['https://node-1:3001/x', 'wss://node-1:3001'],
    ['http://node-1', 'wss://node-1:80'],
    ['https://node-1', 'wss://node-1:443'],
    ['http://[fd00::1]:3001', 'wss://[fd00::1]:3001'],
  ])('%s is %s', (internalUrl, url) => {
    expect(linkUrl(internalUrl)).toBe(url);
  });

  test.each([
    ['0.0.0.0', '127.0.0.1'],
    ['::', '127.0.0.1'],
    ['fd00::1', '[fd00::1]'],
    ['10.0.0.7', '10.0.0.7'],
  ])('listening on %s it is %s', (host, name) => {
    expect(reachable(host)).toBe(name);
  });
});

describe('a send of what earlier builds do not know has a name that they refuse, and is read as the send [faults: 401]', () => {
  const template = { name: 'offer', language: 'en', header: [], body: [], buttons: [] };
  test.each<[string, Content]>([
    ['send', { type: 'text', text: 'hi' }],
    ['send', { type: 'template', template }],
    ['send', { type: 'template', template: { name: 'offer', language: 'en', variables: null } }],
    ['send:upload', { type: 'media', mediaType: 'image', uploadedId: '1', caption: null, filename: null }],
    ['send:reaction', { type: 'reaction', to: 'wamid.1', emoji: '👍' }],
    [
      'send:preview+reply_to+tag',
      { type: 'text', text: 'a', showsPreview: true, replyTo: 'b', tag: 'human_agent' },
    ],
    ['send:cards+offer', { type: 'template', template: { ...template, cards: [], offerEndsAt: 1 } }],
    [
      'send:products+filename',
      {
        type: 'template',
        template: {
          ...template,
          header: [{ type: 'document', link: 'https://a.example', filename: 'a.pdf' }],
          buttons: [{ index: 0, fills: 'mpm', value: '', sections: [] }],
        },
      },
    ],
    [
      'send:offer',
      {
        type: 'template',
        template: { name: 'a', language: 'en', variables: { offer_expires_at: '2026-01-01T00:00:00Z' } },
      },
    ],
  ])('%s', (name, content) => {
    const ask = { type: 'send' as const, messageId: 'm', recipient: '1', content };
    const named = nameAsk(ask);
    expect(named).toEqual({ ...ask, type: name });
    expect(said({ f: 'ask', id, channelId, ask: named })).toEqual([{ f: 'ask', id, channelId, ask }]);
  });
});
