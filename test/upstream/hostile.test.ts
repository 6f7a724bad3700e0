import * as fc from 'fast-check';
import { describe, expect, test } from '@jest/globals';
import { scan } from '../../src/upstream/scan.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { sampleChatappMessage } from './samples/chatapp.ts';
import { samplePageMessage, samplePhotoMessage } from './samples/threads.ts';
import { onlyFact, parse, parseText } from './support.ts';

const metadata = { phone_number_id: '422300000000002' };
const statusesPost = (statuses: unknown[]) => ({
  object: 'whatsapp_business_account',
  entry: [{ id: '1', changes: [{ field: 'messages', value: { metadata, statuses } }] }],
});
const status = (n: number) => ({
  id: `wamid.HBgNNDkxNTkwMDAwMDc3NxUCABEYEjAwMDAwMDAwMDAwMDA${n}`,
  status: 'delivered',
  timestamp: '1767225603',
  recipient_id: '4915900000777',
  biz_opaque_callback_data: '5b0a7c1e-0000-4000-8000-000000000001',
});

function faultOf(body: string): string {
  try {
    parseText(body);
  } catch (thrown) {
    if (thrown instanceof Fault) return thrown.code;
    throw thrown;
  }
  return 'none';
}

describe('a POST that upstream never sends', () => {
  test.each([
    ['nothing', ''],
    ['HTML', '<html>'],
    ['half of the JSON', '{"object":"page","entry":[{"id":'],
    ['a list', '[]'],
    ['null', 'null'],
    ['text', '"page"'],
    ['no `object`', '{"entry":[]}'],
    ['no `entry`', '{"object":"page"}'],
    ['an entry that is no list', '{"object":"page","entry":{}}'],
    ['nesting 65 deep', `{"object":"page","entry":[${'['.repeat(63)}${']'.repeat(63)}]}`],
    ['nesting 100,000 deep', '['.repeat(100_000)],
    ['nesting that never closes', '{"a":'.repeat(100_000)],
    ['a million empty objects', `{"object":"page","entry":[${'{},'.repeat(1_000_000)}{}]}`],
    [
      'an object of 10,001 members',
      `{"object":"page","entry":[{${Array.from({ length: 10_001 }, (_, n) => `"k${n}":1`).join(',')}}]}`,
    ],
    ['half a million numbers', `{"object":"page","entry":[${'1,'.repeat(500_000)}1]}`],
    ['more than 10,000 long integers', `{"object":"page","entry":[${'1234567890123456,'.repeat(10_001)}1]}`],
    ['more than 3 MB', `{"object":"page","entry":["${'a'.repeat(3 * 1024 * 1024)}"]}`],
  ])('a body with %s is refused', (_, body) => {
    expect(faultOf(body)).toBe('bad_request');
  });

  test('the refusal quotes nothing of the body', () => {
    const secretWord = 'rosebud';
    expect(() => parseText(`{"object": ${secretWord}`)).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining(secretWord) }),
    );
  });
});

describe('a POST in upstream’s shape', () => {
  test('a body nested 64 deep is read', () => {
    expect(parseText(`{"object":"page","entry":[${'['.repeat(62)}${']'.repeat(62)}]}`)).toEqual({
      facts: [],
      malformed: 1,
      ignored: 0,
    });
  });

  test('brackets inside texts do not count as nesting', () => {
    const text = `${'[{"'.repeat(100)}\\`;
    const message = { mid: 'm', text };
    const messaging = [{ sender: { id: '8' }, recipient: { id: '5' }, timestamp: 1767225600000, message }];
    expect(parse({ object: 'page', entry: [{ id: '5', time: 1, messaging }] }).facts).toMatchObject([
      { parts: [{ type: 'text', text }] },
    ]);
  });

  test('a POST of an unknown object is ignored', () => {
    expect(parse({ object: 'hologram', entry: [{}, {}] })).toEqual({ facts: [], malformed: 0, ignored: 2 });
  });

  test('of a thousand items only the malformed one is dropped', () => {
    const items: unknown[] = Array.from({ length: 1_000 }, (_, n) => status(n));
    items[500] = { status: 'delivered', id: { $ne: null } };
    const { facts, malformed, ignored } = parse(statusesPost(items));
    expect({ facts: facts.length, malformed, ignored }).toEqual({ facts: 999, malformed: 1, ignored: 0 });
  });

  test('an item whose id is half of a surrogate pair is dropped, because no path and no store can hold that id', () => {
    const items = [{ ...status(1), id: 'wamid.\ud800' }, status(2)];
    const { facts, malformed } = parse(statusesPost(items));
    expect({ facts: facts.length, malformed }).toEqual({ facts: 1, malformed: 1 });
  });

  test('items without a channel are dropped and each is counted', () => {
    const post = {
      object: 'whatsapp_business_account',
      entry: [{ id: '1', changes: [{ field: 'messages', value: { statuses: [status(1), status(2)] } }] }],
    };
    expect(parse(post)).toEqual({ facts: [], malformed: 2, ignored: 0 });
  });

  test('all items of several entries and changes are read', () => {
    const change = { field: 'messages', value: { metadata, statuses: [status(1), status(2)] } };
    const entry = { id: '1', changes: [change, change] };
    expect(parse({ object: 'whatsapp_business_account', entry: [entry, null, entry] })).toMatchObject({
      facts: { length: 8 },
      malformed: 1,
    });
  });

  test('a member called __proto__ changes no prototype', () => {
    const body = `{"object":"page","__proto__":{"entry":[]},"entry":[{"id":"5","__proto__":{"messaging":[{}]}}]}`;
    expect(parseText(body)).toEqual({ facts: [], malformed: 0, ignored: 1 });
    expect(Object.keys(Object.prototype)).toEqual([]);
  });
});

describe('the scan of the raw bytes', () => {
  test.each([
    ['{"a":1234567890123456}', ['1234567890123456']],
    ['{"a":123456789012345}', []],
    ['{"a":"1234567890123456"}', []],
    ['{"a":"\\"1234567890123456"}', []],
    ['{"a":"\\\\","b":1234567890123456}', ['1234567890123456']],
    ['[1234567890123456,1234567890123457]', ['1234567890123456', '1234567890123457']],
    ['{"a":1234567890123456.5}', []],
    ['{"a":0.1234567890123456}', []],
    ['{"a":1e1234567890123456}', []],
    ['{"a":1234567890123456E2}', []],
    ['{"a":-1234567890123456}', []],
    ['1234567890123456', ['1234567890123456']],
  ])('the scan of %s finds the long integers %j', (body, expected) => {
    const found = scan(Buffer.from(body));
    if (typeof found === 'string') throw new Error(found);
    expect(found.longIntegers.map(({ start, end }) => body.slice(start, end))).toEqual(expected);
  });
});

/** Any JSON, often with the names and shapes that the parser reads. */
const knownNames = fc.constantFrom(
  ...'object entry id time changes field value metadata phone_number_id messages statuses messaging standby message mid text'.split(
    ' ',
  ),
  ...'sender recipient attachments type payload url timestamp from status errors delivery mids watermark read __proto__'.split(
    ' ',
  ),
  ...'image audio interactive message_echoes contacts event message_template_id is_echo toString constructor'.split(
    ' ',
  ),
);
const leaf = fc.oneof(
  fc.constantFrom<unknown>(
    'page',
    'instagram',
    'whatsapp_business_account',
    'messages',
    'text',
    'failed',
    null,
    true,
    0,
    -1,
    1e300,
    1e21,
  ),
  fc.string(),
  fc.double(),
  fc.bigInt({ min: 0n, max: 10n ** 30n }).map(String),
);
const { anyJson } = fc.letrec<{ anyJson: unknown }>((tie) => ({
  anyJson: fc.oneof(
    { depthSize: 'medium', withCrossShrink: true },
    leaf,
    fc.array(tie('anyJson'), { maxLength: 4 }),
    fc.dictionary(fc.oneof(knownNames, fc.string()), tie('anyJson'), { maxKeys: 6 }),
  ),
}));

function neverThrowsButFault(body: string): void {
  const before = process.cpuUsage();
  try {
    const { facts } = parseText(body);
    for (const fact of facts)
      if (fact.kind !== 'template' && fact.kind !== 'number')
        expect(new Date(fact.at).toISOString()).toHaveLength(24);
  } catch (thrown) {
    if (!(thrown instanceof Fault)) throw thrown;
  }
  // CPU time: the machine may be busy with others. A parser that backtracks or recurses is off by orders of magnitude.
  expect(process.cpuUsage(before).user).toBeLessThan(2_000_000);
}

describe('the parser throws nothing but Fault', () => {
  test('on any JSON it throws nothing but Fault', () => {
    fc.assert(
      fc.property(anyJson, (value) => neverThrowsButFault(JSON.stringify(value))),
      { numRuns: 1_000 },
    );
  });

  test('with any JSON in place of a part of a real POST it throws nothing but Fault', () => {
    const posts = [sampleChatappMessage, samplePageMessage, samplePhotoMessage];
    fc.assert(
      fc.property(fc.constantFrom(...posts), fc.nat(), anyJson, (post, where, value) => {
        let n = 0;
        const count = JSON.stringify(post).split(/[:,[{]/).length;
        const replaced = JSON.stringify(post, (_, given: unknown) => (n++ === where % count ? value : given));
        neverThrowsButFault(replaced ?? 'null');
      }),
      { numRuns: 1_000 },
    );
  });

  test('with attachments at one place whose types are objects it throws nothing, and reads one of them', () => {
    const attachment = { type: [{ toString: '0' }], payload: { url: 'https://cdn.example/1.jpg' } };
    const item = {
      sender: { id: '8800000000000001' },
      recipient: { id: '520000000000005' },
      timestamp: 1767225599901,
      message: { mid: 'm_1', attachments: [attachment, attachment] },
    };
    const fact = onlyFact({ object: 'page', entry: [{ id: '520000000000005', messaging: [item] }] });
    expect(fact).toMatchObject({ kind: 'inbound', parts: [{ type: 'unsupported' }] });
  });

  test('on any bytes it throws nothing but Fault', () => {
    fc.assert(fc.property(fc.string({ unit: 'binary' }), neverThrowsButFault), { numRuns: 200 });
  });

  test('on 3 MB of many small values it throws nothing but Fault', () => {
    const bodies = ['[]', '{}', '""', '1', '9'.repeat(16), '"\\u0000"'].map((piece) => {
      const times = Math.floor((3 * 1024 * 1024 - 40) / (piece.length + 1));
      return `{"object":"page","entry":[${Array<string>(times).fill(piece).join(',')}]}`;
    });
    for (const body of bodies) neverThrowsButFault(body);
  });
});
