/** [portal: Deliveries; faults: 181] Inbound content that a receiver repeats in its answer is not shown. */
import { describe, expect, jest, test } from '@jest/globals';
import { redactContent } from '../../src/rules/events/redact-content.ts';
import { makeRedact } from '../../src/rules/events/redact-repeated.ts';

const eventSaying = (...texts: string[]): Buffer => Buffer.from(JSON.stringify({ data: { texts } }));

function left(answer: string, event: Buffer, isCut = false): string {
  return Buffer.from(redacted(Buffer.from(answer), event, isCut)).toString();
}

function redacted(answer: Uint8Array, event: Buffer, isCut = false): Uint8Array {
  return makeRedact(event, answer.length, [])(answer, isCut);
}

const said = `Grüße an O'Hara: "2/3 & <4>"`;
const event = eventSaying(said);

describe('a text of the event is removed from an answer', () => {
  test.each([
    ['as it is', said],
    ['as JSON', String.raw`Grüße an O'Hara: \"2/3 & <4>\"`],
    ['as JSON in ASCII', String.raw`Gr\u00fc\u00dfe an O'Hara: \"2/3 & <4>\"`],
    ['as JSON in ASCII with its slashes escaped', String.raw`Gr\u00fc\u00dfe an O'Hara: \"2\/3 & <4>\"`],
    ['as JSON that is safe in HTML', String.raw`Grüße an O'Hara: \"2/3 \u0026 \u003c4\u003e\"`],
    ['as HTML with hexadecimal apostrophes', 'Grüße an O&#x27;Hara: &quot;2/3 &amp; &lt;4&gt;&quot;'],
    ['as HTML', `Grüße an O'Hara: &quot;2/3 &amp; &lt;4&gt;&quot;`],
    ['as HTML with its apostrophes by number', 'Grüße an O&#39;Hara: &quot;2/3 &amp; &lt;4&gt;&quot;'],
    ['as HTML with three digits', 'Grüße an O&#039;Hara: &quot;2/3 &amp; &lt;4&gt;&quot;'],
    ['as part of an address', `Gr%C3%BC%C3%9Fe%20an%20O'Hara%3A%20%222%2F3%20%26%20%3C4%3E%22`],
    ['as a form', 'Gr%C3%BC%C3%9Fe+an+O%27Hara%3A+%222%2F3+%26+%3C4%3E%22'],
  ])('%s', (_, encoded) => {
    expect(left(`bad: [${encoded}], again`, event)).toBe('bad: [(not shown)], again');
  });

  const inJson = String.raw`Grüße,\nan \"2/3 & <4>\"`;
  test.each([
    ['a string of JSON', String.raw`Grüße,\\nan \\\"2/3 & <4>\\\"`],
    ['a string of JSON in ASCII', String.raw`Gr\u00fc\u00dfe,\\nan \\\"2/3 & <4>\\\"`],
    ['a string of JSON, both in ASCII', String.raw`Gr\\u00fc\\u00dfe,\\nan \\\"2/3 & <4>\\\"`],
    ['HTML', String.raw`Grüße,\nan \&quot;2/3 &amp; &lt;4&gt;\&quot;`],
    ['a form', 'Gr%C3%BC%C3%9Fe%2C%5Cnan+%5C%222%2F3+%26+%3C4%3E%5C%22'],
  ])('if the JSON of the event is quoted in %s', (_, encoded) => {
    const about = Buffer.from(`{"data":{"text":"${inJson}"}}`);
    expect(left(`bad: [${encoded}], again`, about)).toBe('bad: [(not shown)], again');
  });

  test('at each occurrence, and so is each of several texts', () => {
    const both = eventSaying('first words', 'other words');
    expect(left('other words, first words, other words', both)).toBe('(not shown), (not shown), (not shown)');
  });

  test('the longer one if one is a prefix of another', () => {
    expect(left('= twelve letters and more.', eventSaying('twelve letters', 'twelve letters and more'))).toBe(
      '= (not shown).',
    );
  });

  test('as far as it is repeated, from twelve bytes on', () => {
    const long = eventSaying('abcdefghijklmnop');
    expect(left('abcdefghijkl!', long)).toBe('(not shown)!');
    expect(left('abcdefghijk!', long)).toBe('abcdefghijk!');
  });

  test('half of a surrogate pair is removed in its UTF-8 encoding', () => {
    const half = Buffer.from(String.raw`{"data":{"text":"words \ud83d"}}`);
    expect(left('got: words \uFFFD', half)).toBe('got: (not shown)');
  });
});

describe('if only a part of the answer is stored', () => {
  test('the beginning of a text at its end is removed too', () => {
    const long = eventSaying('abcdefghijklmnop');
    expect(left('why: abcdefghijk', long, true)).toBe('why: (not shown)');
    expect(left('why: abcd', long, true)).toBe('why: (not shown)');
    expect(left('why: abc', long, true)).toBe('why: abc');
    expect(left('abcdef: why', long, true)).toBe('abcdef: why');
    expect(left('why: abcdefghijk', eventSaying('other words', 'abcdefghijklmnop'), true)).toBe(
      'why: (not shown)',
    );
  });

  test('in a complete answer it stays', () => {
    expect(left('why: abcdefghijk', eventSaying('abcdefghijklmnop'))).toBe('why: abcdefghijk');
  });
});

describe('an answer stays unchanged', () => {
  test.each([
    ['of texts of three letters', 'yes, yes', eventSaying('yes')],
    ['of what says what an event is', 'message.received', Buffer.from('{"event":"message.received"}')],
    ['of bytes that are no event', 'some words', Buffer.from('some words')],
    ['when it is empty', '', event],
  ])('%s', (_, answer, about) => {
    expect(left(answer, about)).toBe(answer);
  });

  test('a text of four letters is removed', () => {
    expect(left('yeah, yes', eventSaying('yeah'))).toBe('(not shown), yes');
  });

  test('with the same bytes, also if they are invalid UTF-8', () => {
    const answer = Uint8Array.from([0xff, 0x00, 0xc3]);
    expect(redacted(answer, event)).toBe(answer);
    const mixed = Buffer.concat([answer, Buffer.from(said), answer]);
    const rest = Buffer.concat([answer, Buffer.from('(not shown)'), answer]);
    expect(Buffer.from(redacted(mixed, event))).toEqual(rest);
  });
});

test('[faults: I9] an answer is searched once for each prefix, however often another is found in it', () => {
  const alike = eventSaying('aaaa', ...Array.from({ length: 100 }, (_, n) => `aaaab ${n}`));
  const searches = jest.spyOn(String.prototype, 'indexOf');

  const shown = left('aaaa'.repeat(512), alike, true);

  const times = searches.mock.calls.length;
  searches.mockRestore();
  expect(shown).toBe('(not shown)'.repeat(512));
  expect(times).toBeLessThan(1_000); // a new search for each prefix after each match: 154,413
});

test('[faults: I9] of a text with megabytes only as much is encoded as an answer can hold', () => {
  const huge = eventSaying('ü"'.repeat(500_000));
  const encodings = jest.spyOn(globalThis, 'encodeURIComponent');

  const shown = left(`${'ü"'.repeat(20)}!`, huge);

  const lengths = encodings.mock.calls.map(([text]) => String(text).length);
  encodings.mockRestore();
  expect(shown).toBe('(not shown)!');
  expect(Math.max(...lengths)).toBeLessThan(1_000); // the whole text: 3,000,000
});

/** [faults: 366] */
describe('of what a person shares nothing is shown, not even under the name of a shown member', () => {
  const data = {
    message_id: '7c9e6679-7425-40de-944b-e07fc1f90ae7',
    from: '4915900000777',
    type: 'unsupported',
    unsupported_type: 'contacts',
    content: {
      latitude: 53.5443,
      contacts: [{ name: 'Lena', phones: [{ wa_id: '4915900000779', type: 'CELL' }] }],
    },
    button: { id: 'row-of-lena', title: 'Lena Ott' },
    reply_to: { upstream_message_id: 'wamid.1', story: { id: '18000000000000001' } },
    referral: { source: 'ad', source_id: '1202', headline: 'Fresh', ctwa_clid: 'ARclick' },
  };
  const full = Buffer.from(JSON.stringify({ data }));

  test('where an event is shown', () => {
    expect(JSON.parse(redactContent(full) ?? '')).toEqual({
      data: {
        ...data,
        content: {
          latitude: '(a number, not shown)',
          contacts: [
            {
              name: '(4 characters, not shown)',
              phones: [{ wa_id: '(13 characters, not shown)', type: '(4 characters, not shown)' }],
            },
          ],
        },
        button: { id: '(11 characters, not shown)', title: '(8 characters, not shown)' },
        reply_to: { upstream_message_id: 'wamid.1', story: { id: '(17 characters, not shown)' } },
        referral: {
          source: 'ad',
          source_id: '1202',
          headline: '(5 characters, not shown)',
          ctwa_clid: 'ARclick',
        },
      },
    });
  });

  test('where a receiver repeats it', () => {
    const answer = 'no: 53.5443, 4915900000779, CELL, row-of-lena, of contacts by wamid.1';
    expect(left(answer, full)).toBe(
      'no: (not shown), (not shown), (not shown), (not shown), of contacts by wamid.1',
    );
  });
});
