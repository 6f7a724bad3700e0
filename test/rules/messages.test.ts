import { describe, expect, test } from '@jest/globals';
import {
  classifyUpstreamError,
  findRow,
  findChannelMeaning,
  sentenceFor,
  upstreamWordsIn,
} from '../../src/rules/messages/error-codes.ts';
import { codeTable } from '../../src/rules/messages/error-table.ts';
import { redact } from '../../src/rules/messages/redact.ts';
import { deferDelayMs, jitterMs } from '../../src/rules/messages/upstream-outcome.ts';
import { rankOf } from '../../src/rules/messages/message.ts';
import { listCalls } from '../../src/features/messages/timeline-rules.ts';
import { countCharacters, textProblem } from '../../src/rules/messages/text.ts';

const said = { subcode: null, message: '', httpStatus: 400 };

describe('send error codes', () => {
  test.each([
    10, 100, 190, 200, 250, 299, 368, 551, 803, 131008, 131009, 131026, 131047, 131051, 131052, 0, 3, 33,
    131021, 131030, 132001, 133010, 102, 2022, 9010, 36103, 131020, 131041, 131044, 131055, 131059, 131201,
    131208, 131215, 134100, 134102,
  ])('%d is permanent: not retried', (code) => {
    expect(classifyUpstreamError({ ...said, code })).toEqual({ kind: 'permanent' });
  });

  test.each([
    [131053, 400, 'none'],
    [131056, 400, 'pair'],
    [131056, 429, 'pair'],
    [131057, 500, 'channel'],
    [131053, 500, 'none'],
    [130429, 429, 'channel'],
    [80007, 400, 'channel'],
    [80006, 400, 'channel'],
    [613, 400, 'channel'],
    [4, 400, 'channel'],
    [131064, 400, 'channel'],
    [134101, 400, 'none'],
    [1, 400, 'none'],
    [2, 400, 'none'],
    [131000, 400, 'none'],
    [999999, 400, 'none'],
    [999999, 429, 'channel'],
    [null, 429, 'channel'],
    [null, 400, 'none'],
    [199, 400, 'none'],
    [300, 400, 'none'],
    [-1, 400, 'none'],
  ] as const)('%j with HTTP %d is transient and pauses: %s', (code, httpStatus, pause) => {
    expect(classifyUpstreamError({ ...said, code, httpStatus })).toEqual({ kind: 'transient', pause });
  });

  test.each([
    [133015, 300_000],
    [2494100, 120_000],
  ])('%d pauses the channel as long as upstream advises: %d ms', (code, waitMs) => {
    const verdict = { kind: 'transient', pause: 'channel', waitMs };
    expect(classifyUpstreamError({ ...said, code })).toEqual(verdict);
  });

  test.each([
    [10, 1404170],
    [10, 2018336],
    [100, 1893061],
    [100, 2018164],
    [100, 2534025],
    [200, 2018021],
    [200, 2018027],
    [200, 2018028],
    [10, 2534048],
    [200, 2534048],
  ])('%d/%d has a row of its own', (code, subcode) => {
    expect(findRow(code, { subcode, message: '' })).toMatchObject({ code, subcode, class: 'permanent' });
  });

  test.each([
    [1, 500],
    [2, 503],
    [131000, 500],
    [999999, 502],
    [null, 500],
  ])('%j with HTTP %d is ambiguous: it may have been sent', (code, httpStatus) => {
    expect(classifyUpstreamError({ ...said, code, httpStatus })).toEqual({ kind: 'ambiguous' });
  });

  test('1/1357046 is ambiguous, whatever the status', () => {
    const lost = { ...said, code: 1, subcode: 1357046 };
    expect(classifyUpstreamError(lost)).toEqual({ kind: 'ambiguous' });
  });

  test('the code decides, not the HTTP status', () => {
    expect(classifyUpstreamError({ ...said, code: 100, httpStatus: 429 })).toEqual({ kind: 'permanent' });
    expect(classifyUpstreamError({ ...said, code: 190, httpStatus: 500 })).toEqual({ kind: 'permanent' });
  });

  test('a subcode that is permanent by itself makes an unknown code permanent', () => {
    expect(classifyUpstreamError({ ...said, code: 9, subcode: 2018352 })).toEqual({ kind: 'permanent' });
  });
});

describe('error: a human-readable description', () => {
  test.each(codeTable)(
    'of a file that was refused with $code/$subcode has a hint',
    ({ code, subcode = null, sentence }) => {
      const error = sentenceFor(code, { subcode, message: '' }, 'file');
      expect(error.slice(sentence.length)).toMatch(/^; \w/);
    },
  );

  test.each(codeTable)(
    'of a send that failed finally with $code/$subcode does not promise a retry',
    ({ code, subcode = null }) => {
      for (const sent of ['message', 'file', 'long-text'] as const)
        expect(sentenceFor(code, { subcode, message: '' }, sent)).not.toMatch(/\bis sent\b/);
    },
  );

  test.each([
    ['by subcode', { subcode: 2018300, message: '(#10) Localised text' }],
    [
      'by text',
      {
        subcode: null,
        message: '(#10) Message failed to send because Another app is controlling this thread now.',
      },
    ],
  ])('10 with another app in control of the conversation says so, recognized %s', (_by, error) => {
    expect(sentenceFor(10, error)).toMatch(
      /^Not sent: another app is controlling this thread; .* \(upstream: /,
    );
  });

  test.each([
    [190, 'The access token has expired or was revoked; reconnect the channel'],
    [999999, 'Upstream refused the message with code 999999'],
    [null, 'Upstream refused the message'],
  ])('%j', (code, sentence) => {
    expect(sentenceFor(code, { subcode: null, message: '' })).toBe(sentence);
    expect(sentenceFor(code, { subcode: null, message: ' as upstream says ' })).toBe(
      `${sentence} (upstream: as upstream says)`,
    );
  });

  test('another code does not mean that, whatever its text', () => {
    const error = { subcode: null, message: 'another app is controlling this thread' };
    expect(sentenceFor(368, error)).toMatch(/^The account is temporarily blocked/);
  });

  test.each([
    ['under any code', 7, 2018352],
    ['as a code', 2018352, null],
  ])('a subcode that upstream prints alone is used %s', (_, code, subcode) => {
    expect(sentenceFor(code, { subcode, message: '' })).toMatch(/^Too many opt-in requests/);
  });

  test('for a file with an unknown code says what to check', () => {
    expect(sentenceFor(999999, { subcode: null, message: '' }, 'file')).toBe(
      'Upstream refused the message with code 999999; check that media_url answers 200 with a Content-Type that matches media_type, and check the file size',
    );
  });

  test("for a file has the file's advice if the code has one", () => {
    const sentences = (['file', 'message'] as const).map((sent) =>
      sentenceFor(131009, { subcode: null, message: '' }, sent),
    );
    expect(sentences).toEqual([
      'A parameter value is invalid for this channel; check media_url, media_type and the recipient',
      'A parameter value is invalid for this channel; check what the platform names; if it names nothing, the recipient',
    ]);
  });

  test("for a file is the text's if the code has none", () => {
    const sentences = (['file', 'message'] as const).map((sent) =>
      sentenceFor(190, { subcode: null, message: '' }, sent),
    );
    expect(sentences).toEqual([
      'The access token has expired or was revoked; reconnect the channel',
      'The access token has expired or was revoked; reconnect the channel',
    ]);
  });

  test("contains upstream's text, without our additions", () => {
    const error = { subcode: null, message: 'Session has expired' };
    expect(upstreamWordsIn(sentenceFor(190, error))).toEqual({ words: 'Session has expired', details: null });
    expect(upstreamWordsIn('The message could not be sent')).toEqual({
      words: 'The message could not be sent',
      details: null,
    });
    const own = 'The message could not be sent; details: none';
    expect(upstreamWordsIn(own)).toEqual({ words: own, details: null });
  });

  test("contains upstream's details after its text", () => {
    const details = 'body: number of localizable_params (1) does not match the expected number of params (2)';
    const sentence = sentenceFor(132000, { subcode: null, message: '(#132000) Mismatch', details });
    expect(sentence).toBe(
      `The number of variables does not match the template; compare the variables with the approved template (upstream: (#132000) Mismatch; details: ${details})`,
    );
    expect(upstreamWordsIn(sentence)).toEqual({ words: '(#132000) Mismatch', details });
  });

  test.each([
    ['the same words twice', 'Invalid parameter', 'Invalid parameter', 'Invalid parameter'],
    ['details that the text has', 'Param to is invalid', 'to is invalid', 'Param to is invalid'],
    ['no text', '', 'to is invalid', 'details: to is invalid'],
    ['a secret', 'No', 'token EAAexampletoken1234', 'No; details: token ***'],
    ['long details', 'No', 'x'.repeat(5_000), `No; details: ${'x'.repeat(300)}`],
  ])('does not repeat, show or lengthen: %s', (_, message, details, quote) => {
    const sentence = sentenceFor(999999, { subcode: null, message, details });
    expect(sentence).toBe(`Upstream refused the message with code 999999 (upstream: ${quote})`);
  });

  test("of a text over upstream's limit in bytes says so", () => {
    expect(sentenceFor(100, { subcode: null, message: '' }, 'long-text')).toMatch(/1,000 bytes/);
    expect(sentenceFor(190, { subcode: null, message: '' }, 'long-text')).toBe(
      sentenceFor(190, { subcode: null, message: '' }),
    );
  });

  test("a token in upstream's text is not shown", () => {
    expect(sentenceFor(100, { subcode: null, message: 'Bad token EAAexampletoken1234 given' })).toContain(
      '(upstream: Bad token *** given)',
    );
  });

  test('a long text of upstream is truncated', () => {
    expect(sentenceFor(null, { subcode: null, message: 'x'.repeat(100_000) }).length).toBeLessThan(400);
  });
});

test.each([
  [190, 'reconnect'],
  [250, 'restricted'],
  [131048, 'restricted'],
  [131026, 'none'],
  [999999, 'none'],
  [null, 'none'],
])('%j means for the channel: %s', (code, meaning) => {
  expect(findChannelMeaning(code, { subcode: null, message: '' })).toBe(meaning);
});

describe('redaction', () => {
  test.each([
    ['EAAexampletoken', '***'],
    ['(EAAGm0PX4ZCpsBAJ-_x)', '(***)'],
    ['IGAAexampletoken and IGQVJexampletoken', '*** and ***'],
    ['next=%3DEAAexampletoken', 'next=%3D***'],
    ['Authorization: Bearer abc.def-123', 'Authorization: Bearer ***'],
    ['Bearer   abc.def-123', 'Bearer ***'],
    ['"access_token"  :  "abc"', '"access_token"  :  "***"'],
    ['Invalid OAuth access token', 'Invalid OAuth access token'],
    ['?access_token=abc&limit=1', '?access_token=***&limit=1'],
    ['?access_token%3Dabc&limit=1', '?access_token%3D***&limit=1'],
    ['{"access_token":"abc","a":1}', '{"access_token":"***","a":1}'],
    ['client_secret=abc appsecret_proof=def', 'client_secret=*** appsecret_proof=***'],
    ['token 700100200300400|example-app-secret-0001!', 'token ***!'],
    [
      '(#131030) Recipient 4915900000777 not in allowed list',
      '(#131030) Recipient 4915900000777 not in allowed list',
    ],
  ])('%j becomes %j', (text, redacted) => {
    expect(redact(text)).toBe(redacted);
  });

  test.each(['9', 'access_token', 'Bearer ', 'EAA', ' '])('a megabyte of %j is truncated', (piece) => {
    const hostile = piece.repeat(1_000_000 / piece.length);
    expect(redact(hostile).length).toBeLessThan(10_000);
  });
});

describe('retry of a definite transient refusal', () => {
  test.each([
    ['pair', [1, 4, 16, 64, 256, 256]],
    ['none', [1, 2, 4, 8, 16, 32, 60, 60]],
    ['channel', [1, 2, 4, 8, 16, 32, 60, 60]],
  ] as const)('%s waits %j seconds after call 1, 2, …', (pause, seconds) => {
    expect(seconds.map((_, index) => deferDelayMs(index + 1, pause) / 1_000)).toEqual(seconds);
  });

  test('a huge number of attempts stays at the maximum', () => {
    expect(deferDelayMs(1e9, 'pair')).toBe(256_000);
  });
});

describe('sends that wait for the same pause', () => {
  test('continue within a quarter of a second, each at another time', () => {
    const moments = ['m-1', 'm-2', 'm-3'].map((id) => jitterMs(id, 'channel'));
    expect(moments.every((ms) => ms >= 0 && ms < 250)).toBe(true);
    expect(new Set(moments).size).toBe(3);
    expect(moments).toEqual(['m-1', 'm-2', 'm-3'].map((id) => jitterMs(id, 'pair')));
  });

  test('a send without a pause continues at its time', () => {
    expect(jitterMs('m-1', 'none')).toBe(0);
  });
});

test('delivery status: sent < delivered < read, and failed lowers none', () => {
  expect((['failed', 'sent', 'delivered', 'read'] as const).map(rankOf)).toEqual([0, 1, 2, 3]);
});

describe('the calls of a timeline', () => {
  const hung = { at: 1_700_000_000_734, endedAt: 1_700_000_000_000, error: null, code: null, traceId: null };
  const taken = { tries: 1, attemptedAt: hung.at, upstreamIds: ['up'], sentAt: hung.endedAt };
  test.each([
    ['the last one', { ...taken, calls: null }],
    ['a logged one', { ...taken, calls: { 1: { ...hung, outcome: 'accepted' as const } } }],
  ])("none ends before its start, although upstream's times are whole seconds: %s", (_which, record) => {
    expect(listCalls(record)).toEqual([{ n: 1, ...hung, endedAt: hung.at, outcome: 'accepted' }]);
  });

  test('one without a recorded end has no end', () => {
    const [call] = listCalls({ ...taken, upstreamIds: [], sentAt: null, calls: null });
    expect([call?.endedAt, call?.outcome]).toEqual([null, null]);
  });
});

describe('a text that cannot be sent unchanged', () => {
  test.each(['', 'Hello', '👨‍👩‍👧‍👦', '\u202Egnirts', '\uFEFFx', '\uD83D\uDE00', 'a\tb\r\n'])(
    '%j is fine',
    (text) => {
      expect(textProblem(text)).toBeNull();
    },
  );

  test.each(['a\u0000b', '\uD83D', 'x\uDE00', '\uDE00\uD83D'])('%j is refused', (text) => {
    expect(textProblem(text)).toMatch(/^text must /);
  });
});

describe('the length of a text', () => {
  test.each<[string, number]>([
    ['', 0],
    ['Grüße', 5],
    ['a🥐b', 3],
    ['🥐🥐', 2],
    ['\ud83e', 1],
    ['\ud83e\ud83e\udd50', 2],
    ['\udd50\ud83e', 2],
    ['🥐\udd50', 2],
    ['\ud83eé', 2],
    ['\ud800\udc00\udbff\udfff', 2],
    ['🥐'.repeat(3), 3],
  ])('%j has %i characters', (text, characters) => {
    expect(countCharacters(text)).toBe(characters);
  });

  test('[faults: I9] pairs are counted for less than half of what listing them takes', () => {
    const text = '🥐'.repeat(26_000);
    const cpu = (run: () => unknown): number => {
      const before = process.cpuUsage();
      for (let n = 0; n < 60; n += 1) run();
      const { user, system } = process.cpuUsage(before);
      return user + system;
    };
    expect([countCharacters(text), textProblem(text)]).toEqual([26_000, null]);
    const listed = cpu(() => Array.from(text).length);
    // About a ninth. Looking up each letter in Unicode's table takes as long as the list.
    expect(cpu(() => [countCharacters(text), textProblem(text)])).toBeLessThan(listed / 2);
  });
});
