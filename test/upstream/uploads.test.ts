/** [upstream §5.2] The form in which each kind takes a file, and the meaning of each answer. */
import { describe, expect, test } from '@jest/globals';
import { fault, Fault } from '../../src/kernel/faults.ts';
import type { FileToUpload } from '../../src/upstream/upload-calls.ts';
import { channelOf, json, proof, raw, token } from './support.ts';
import { openUpstream } from './open-upstream.ts';

const { server: scripted, upstream } = await openUpstream();
const { uploads } = upstream;

async function* pieces(...texts: string[]): AsyncGenerator<Buffer> {
  for (const text of texts) yield Buffer.from(text);
}

const file = (over: Partial<FileToUpload> = {}): FileToUpload => ({
  mediaType: 'document',
  mimeType: 'application/pdf',
  filename: 'Bü"7.pdf',
  most: 6,
  content: pieces('abc', 'def'),
  timeoutMs: 5_000,
  ...over,
});

const sent = (): string => {
  const { headers, body } = scripted.received.at(-1) ?? {};
  const boundary = /boundary=(.*)$/.exec(String(headers?.['content-type']))?.[1] ?? '';
  expect(Number(headers?.['content-length'])).toBe(Buffer.byteLength(String(body)));
  return String(body).replaceAll(boundary, 'B').replaceAll('\r\n', '\n');
};

const fileIn = (field: string, name: string, content: string, end = '') =>
  `--B\ncontent-disposition: form-data; name="${field}"; filename="${name}"\ncontent-type: application/pdf\n\n${content}\n--B--${end}`;
const field = (name: string, value: string) =>
  `--B\ncontent-disposition: form-data; name="${name}"\n\n${value}\n`;

describe('a file is posted with its length', () => {
  test('to the number', async () => {
    scripted.script(json({ id: '14500000000000310' }));
    expect(await uploads.upload(channelOf('chatapp'), file())).toBe('14500000000000310');
    expect(scripted.received.at(-1)).toMatchObject({
      method: 'POST',
      path: expect.stringMatching(/^\/\d+\/media$/),
      query: { appsecret_proof: proof },
    });
    expect(scripted.received.at(-1)?.headers.authorization).toBe(`Bearer ${token}`);
    expect(sent()).toBe(
      `${field('messaging_product', 'whatsapp')}${field('type', 'application/pdf')}${fileIn('file', 'Bü%227.pdf', 'abcdef')}`,
    );
  });

  const message = '{"attachment":{"type":"file","payload":{"is_reusable":true}}}';
  test('to the page', async () => {
    scripted.script(json({ attachment_id: '1857777774821032' }));
    expect(await uploads.upload(channelOf('pagechat'), file())).toBe('1857777774821032');
    expect(scripted.received.at(-1)?.path).toMatch(/\/message_attachments$/);
    expect(sent()).toBe(`${field('message', message)}${fileIn('filedata', 'Bü%227.pdf', 'abcdef')}`);
  });

  test('to the page of a photo account, with a name in ASCII', async () => {
    scripted.script(json({ attachment_id: '1857777774821033' }));
    await uploads.upload(channelOf('photoapp'), file());
    const platform = field('platform', 'instagram');
    expect(sent()).toBe(
      `${platform}${field('message', message)}${fileIn('filedata', 'B_%227.pdf', 'abcdef')}`,
    );
  });

  test.each([
    ['audio', 'audio/opus', 'PTT-7.opus', 'audio/ogg; codecs=opus', 'audio.ogg'],
    ['audio', 'audio/ogg; codecs=opus', null, 'audio/ogg; codecs=opus', 'audio.ogg'],
    ['audio', 'Audio/OGG', 'voice-note.mp4', 'Audio/OGG', 'audio.ogg'],
    ['image', 'image/png', null, 'image/png', 'image.png'],
    ['audio', 'audio/flac', 'a.flac', 'audio/flac', 'a.flac'],
    ['document', 'application/pdf', 'Offer 7', 'application/pdf', 'Offer 7.pdf'],
    ['document', 'application/pdf', 'v1.2 offer', 'application/pdf', 'v1.2 offer.pdf'],
    ['document', 'text/plain; charset=utf-8', 'people.csv', 'text/plain; charset=utf-8', 'people.csv'],
    ['document', 'application/x-own', 'offer', 'application/x-own', 'offer'],
    ['document', 'image/jpeg', 'scan', 'image/jpeg', 'scan.jpg'],
  ] as const)(
    'to the number: %s of the type %s named %s, as %s named %s',
    async (mediaType, mimeType, filename, type, name) => {
      scripted.script(json({ id: '1' }));
      await uploads.upload(channelOf('chatapp'), file({ mediaType, mimeType, filename }));
      expect(sent()).toContain(field('type', type));
      expect(sent()).toContain(`name="file"; filename="${name}"\ncontent-type: ${type}\n`);
    },
  );

  test('also if it is two bytes shorter than its most', async () => {
    scripted.script(json({ id: '1' }));
    await uploads.upload(channelOf('chatapp'), file({ most: 8 }));
    expect(sent()).toContain(fileIn('file', 'Bü%227.pdf', 'abcdef', '\n'));
  });
});

async function refusal(given = file()): Promise<unknown> {
  const thrown: unknown = await uploads.upload(channelOf('chatapp'), given).catch((error: unknown) => error);
  return thrown instanceof Fault ? [thrown.code, thrown.details['why']] : thrown;
}

describe('it fails', () => {
  test('with the words of a refusal', async () => {
    const message = '(#100) Param file must be a file with one of the following types: audio/aac.';
    scripted.script(json({ error: { message, type: 'OAuthException', code: 100 } }, 400));
    expect(await refusal()).toEqual(['upstream_refused', `${message} (code 100)`]);
  });

  test('without a usable answer, or an id', async () => {
    scripted.script(json({}));
    expect(await refusal()).toEqual(['upstream_failed', 'it gave the file no id']);
    scripted.script(raw('<html>'));
    expect(await refusal()).toMatchObject(['upstream_failed', expect.any(String)]);
  });

  test('with what reading the file threw', async () => {
    async function* broken(): AsyncGenerator<Buffer> {
      yield Buffer.from('ab');
      throw fault('too_slow');
    }
    expect(await refusal(file({ content: broken() }))).toEqual(['too_slow', undefined]);
  });
});
