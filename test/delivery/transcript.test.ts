/** [portal: Deliveries] What is logged of an attempt besides its result: of every failure, of others if the channel asks for it. */
import { channelOf } from '../rules/samples.ts';
import { describe, expect, test } from '@jest/globals';
import type { WebhookPost } from '../../src/rules/outside.ts';
import { sealContext } from '../../src/kernel/sealed.ts';
import type { TranscribedAttempt } from '../../src/rules/webhooks/transcript.ts';
import { signBody } from '../../src/rules/webhooks/signature.ts';
import { closeAfterEach } from '../support/closing.ts';
import { body, makePoster, plain, postTo, receiver, testSealer } from './receivers.ts';
import type { Answer, Receiver } from './receivers.ts';

const closeLater = closeAfterEach();

async function listening(answer: Answer): Promise<Receiver> {
  const made = await receiver(answer);
  closeLater(() => made.close());
  return made;
}

const logged = { channel: channelOf('chatapp', { accountId: 'account-1' }), startedAt: 7 };

/** Headers without those that concern only the connection. */
function headersOf(request = ''): string[] {
  const [head = ''] = request.split('\r\n\r\n');
  return head.split('\r\n').filter((line, at) => at > 0 && !line.startsWith('connection:'));
}

/** Posts once; returns what is logged. */
async function posted(url: string, more: Partial<WebhookPost> = {}): Promise<TranscribedAttempt[]> {
  const heard: TranscribedAttempt[] = [];
  const { poster } = makePoster({ timeoutMs: 1_000, transcribed: (attempt) => void heard.push(attempt) });
  closeLater(() => poster.close());
  await poster.post(postTo(url, { logged, ...more }));
  return heard;
}

describe('a failed attempt', () => {
  test('without a connection shows no request: none has left', async () => {
    const closed = await receiver(plain('200 OK'));
    await closed.close();
    const [attempt] = await posted(closed.url);
    expect(attempt?.transcript).toMatchObject({ request: [], answer: null });
  });

  test('is logged with its URL, the sent headers, and the answer', async () => {
    const { url, port, requests } = await listening(plain('503 Busy\r\nretry-after: 7', '{"why":"busy"}'));
    const secret = testSealer.sealText('whsec_1', sealContext.webhookSecret('channel-1'));

    const [attempt, ...more] = await posted(url, { secret, requestId: 'request-1' });

    expect(more).toEqual([]);
    const { transcript, ...about } = attempt ?? { transcript: null };
    expect(about).toEqual({
      accountId: 'account-1',
      channelId: 'channel-1',
      deliveryId: 'delivery-1',
      startedAt: 7,
      isTaken: false,
    });
    expect(transcript).toEqual({
      address: `http://127.0.0.1:${port}/hook?a=…`,
      request: expect.arrayContaining([
        ['host', `127.0.0.1:${port}`],
        ['X-Webhook-Id', 'delivery-1'],
        ['X-Request-Id', 'request-1'],
        ['X-Webhook-Signature', signBody('whsec_1', body)],
        ['content-length', String(body.length)],
      ]),
      answer: {
        headers: [
          ['retry-after', '7'],
          ['content-length', '14'],
        ],
        body: Buffer.from('{"why":"busy"}'),
        isCut: false,
      },
    });
    const logs = transcript?.request.map(([name, value]) => `${name}: ${value}`);
    expect(logs?.toSorted()).toEqual(headersOf(requests[0]).toSorted());
  });

  test('is logged with the first 2 KB of a long answer', async () => {
    const long = 'x'.repeat(2_000) + 'y'.repeat(3_000);
    const { url } = await listening(plain('500 Oops', long));
    const [attempt] = await posted(url);
    expect(attempt?.transcript.answer?.body.toString()).toBe(long.slice(0, 2_048));
    expect(attempt?.transcript.answer?.isCut).toBe(true);
  });

  describe('whose receiver repeats the event is logged without inbound content', () => {
    const text = 'Meet <Mia> at "five" & bring кофе 👋';
    const event = {
      event: 'message.received',
      data: { message_id: 'm-1', from: '4915900000777', from_name: 'Mia Vogel', type: 'text', text },
    };
    const json = JSON.stringify(event);
    const ascii = json.replaceAll(
      /[^ -~]/g,
      (unit) => String.raw`\u` + unit.charCodeAt(0).toString(16).padStart(4, '0'),
    );
    const answered = async (said: string): Promise<string | undefined> => {
      const bytes = Buffer.from(said);
      const { url } = await listening((socket) => {
        socket.write(`HTTP/1.1 500 Oops\r\ncontent-length: ${bytes.length}\r\n\r\n`);
        socket.write(bytes);
      });
      const [attempt] = await posted(url, { body: Buffer.from(json) });
      return attempt?.transcript.answer?.body.toString();
    };

    test.each([
      ['as it came', json],
      ['as JSON of ASCII alone', ascii],
    ])('%s', async (_, said) => {
      expect(await answered(`cannot handle ${said}!`)).toBe(
        `cannot handle ${json.replace(JSON.stringify(text), '"(not shown)"').replace('Mia Vogel', '(not shown)')}!`,
      );
    });

    test.each([
      ['as text', text],
      ['as HTML', 'Meet &lt;Mia&gt; at &quot;five&quot; &amp; bring кофе 👋'],
      ['as a form', encodeURIComponent(text)],
      ['cut short by it', text.slice(0, 20)],
    ])('%s', async (_, said) => {
      expect(await answered(`text=${said}; by Mia Vogel`)).toBe('text=(not shown); by (not shown)');
    });

    test('in a header', async () => {
      const spelled = encodeURIComponent(text);
      const { url } = await listening(plain(`302 Found\r\nlocation: /login?next=${spelled}`));
      const [attempt] = await posted(url, { body: Buffer.from(json) });
      expect(attempt?.transcript.answer?.headers).toContainEqual(['location', '/login?next=(not shown)']);
    });

    test.each([0, 1, 5, 12])('and if the log ends within it, %i characters before its end', async (left) => {
      const before = 'x'.repeat(2_048 - left);
      expect(await answered(before + text + 'y'.repeat(100))).toBe(
        left < 4 ? before + text.slice(0, left) : `${before}(not shown)`,
      );
    });
  });

  test('is logged with the beginning of huge headers, and with nothing of an answer that is no HTTP', async () => {
    const head = (bytes: number): string => `500 Oops\r\nx-big: ${'x'.repeat(bytes)}`;
    const [attempt] = await posted((await listening(plain(head(10_000)))).url);
    expect(attempt?.transcript.answer).toMatchObject({
      headers: [
        ['x-big', 'x'.repeat(512)],
        ['content-length', '0'],
      ],
      isCut: true,
    });
    const [beyond] = await posted((await listening(plain(head(20_000)))).url);
    expect(beyond?.transcript.answer).toBeNull();
  });

  test('without an answer is logged as such', async () => {
    const { url } = await listening(() => undefined);
    const [attempt] = await posted(url);
    expect(attempt?.transcript.answer).toBeNull();
    expect(attempt?.transcript.request.length).toBeGreaterThan(5);
  });

  test('that could not start is logged without headers', async () => {
    const secret = testSealer.sealText('whsec_1', sealContext.webhookSecret('channel-2'));
    const [attempt] = await posted('http://127.0.0.1:1/?k=v', { secret });
    expect(attempt?.transcript).toEqual({ address: 'http://127.0.0.1:1/?k=…', request: [], answer: null });
  });

  test('is not logged if nothing is asked for', async () => {
    const { url } = await listening(plain('500 Oops'));
    const { logged: _logged, ...post } = postTo(url, { logged });
    const heard: unknown[] = [];
    const { poster } = makePoster({ transcribed: (attempt) => void heard.push(attempt) });
    closeLater(() => poster.close());
    await poster.post(post);
    expect(heard).toEqual([]);
  });

  test('whose log throws ends all the same', async () => {
    const { url } = await listening(plain('500 Oops'));
    const transcribed = (): void => {
      throw new Error('a defect');
    };
    const { poster } = makePoster({ transcribed });
    closeLater(() => poster.close());
    expect(await poster.post(postTo(url, { logged }))).toEqual({ ok: false, status: 500, reason: 'status' });
  });

  test('is not logged if nothing receives it', async () => {
    const { url } = await listening(plain('500 Oops'));
    const { poster } = makePoster();
    closeLater(() => poster.close());
    expect(await poster.post(postTo(url, { logged }))).toEqual({ ok: false, status: 500, reason: 'status' });
  });
});

describe('a delivered attempt', () => {
  test('is not logged', async () => {
    const { url } = await listening(plain('200 OK', 'thanks'));
    expect(await posted(url)).toEqual([]);
  });

  test('is logged if the channel asks for it', async () => {
    const { url } = await listening(plain('202 Accepted', 'thanks'));
    const [attempt] = await posted(url, {
      logged: { ...logged, channel: { ...logged.channel, keepAnswers: true } },
    });
    expect([attempt?.isTaken, attempt?.transcript.answer?.body.toString()]).toEqual([true, 'thanks']);
  });
});
