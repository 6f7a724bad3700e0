/** [contract: Additions; faults: 384, 385, 386] A form with a file, read while it arrives: any bytes, in any pieces, however clients end it. */
import { IncomingMessage } from 'node:http';
import { Socket } from 'node:net';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import { FileSlots } from '../../src/http/middleware/file-slots.ts';
import { openFileForm } from '../../src/http/middleware/file-form.ts';
import { Fault } from '../../src/kernel/faults.ts';
import { FakeClock } from '../support/fake-clock.ts';
import { until } from '../support/until.ts';

const boundary = 'x7';
const fields = '--x7\r\nContent-Disposition: form-data; name="channel_id"\r\n\r\nc1\r\n';
const fileHead =
  '--x7\r\nContent-Disposition: form-data; name="file"; filename="a.bin"\r\nContent-Type: image/png\r\n\r\n';

function requestOf(
  body: Buffer,
  sizes: readonly number[] = [],
  length = body.length,
  isWhole = true,
): IncomingMessage {
  const request = new IncomingMessage(new Socket());
  request.headers = {
    'content-type': `multipart/form-data; boundary=${boundary}`,
    'content-length': String(length),
  };
  let at = 0;
  for (const size of sizes) {
    request.push(body.subarray(at, at + size));
    at += size;
  }
  request.push(body.subarray(at));
  if (isWhole) request.push(null);
  return request;
}

async function read(request: IncomingMessage) {
  const context = { uploadSlots: new FileSlots(), clock: new FakeClock() };
  const { fields: found, file, end } = await openFileForm(request, 'a1', context);
  try {
    const pieces: Buffer[] = [];
    if (file !== null) for await (const piece of file.content) pieces.push(piece);
    const bytes = Buffer.concat(pieces);
    return { fields: Object.fromEntries(found), file, bytes };
  } finally {
    end();
  }
}

async function refusal(request: IncomingMessage): Promise<unknown> {
  const thrown: unknown = await read(request).then(
    () => null,
    (error: unknown) => error,
  );
  return thrown instanceof Fault ? [thrown.status, thrown.detail] : thrown;
}

const form = (content: Buffer | string, end = '\r\n'): Buffer =>
  Buffer.concat([Buffer.from(fields + fileHead), Buffer.from(content), Buffer.from(`\r\n--x7--${end}`)]);

const bodyError = (loc: string[], msg: string) => [422, [{ loc, msg, type: 'value_error' }]];
const unreadable = bodyError(['body'], 'The form is not readable as multipart/form-data');
const notLast = bodyError(['body', 'file'], 'The file must be the last part of the form, and its only file');

describe('the file is read', () => {
  /** Bytes among which those of a boundary are frequent. */
  const content = fc
    .array(fc.constantFrom('\r', '\n', '-', '-x7', '--x7', '\r\n--x', 'a', '\0'), {
      minLength: 1,
      maxLength: 30,
    })
    .map((parts) => parts.join(''))
    .filter((text) => !text.includes('\r\n--x7'));

  test('whole, whatever its bytes, its pieces and the end of its form', async () => {
    const cuts = fc.array(fc.integer({ min: 1, max: 40 }), { maxLength: 30 });
    await fc.assert(
      fc.asyncProperty(content, cuts, fc.constantFrom('', '\r\n', '\r\n\r\n'), async (text, sizes, end) => {
        const { bytes, file, fields: found } = await read(requestOf(form(text, end), sizes));
        expect(bytes.toString('latin1')).toBe(text);
        expect(found).toEqual({ channel_id: 'c1' });
        expect([0, 2, 4]).toContain((file?.most ?? 0) - text.length);
      }),
      { numRuns: 500 },
    );
  });

  test('with its name and type', async () => {
    const { file } = await read(requestOf(form('x')));
    expect(file).toMatchObject({ field: 'file', filename: 'a.bin', mimeType: 'image/png' });
  });

  test.each([
    ['filename="Bücher.pdf"', 'Bücher.pdf'],
    ["filename*=UTF-8''B%C3%BCcher.pdf", 'Bücher.pdf'],
    ['filename="a%22b.pdf"', 'a"b.pdf'],
    ['filename=bare.pdf', 'bare.pdf'],
    ['filename="B%C3%BCcher%20%26%20more.pdf"', 'Bücher & more.pdf'],
    ['filename="100%25 of %20.pdf"', '100%25 of %20.pdf'],
    ['filename="50%.pdf"', '50%.pdf'],
    ['filename="B%FCcher.pdf"', 'B%FCcher.pdf'],
    ['filename="a %22b%22.pdf"', 'a "b".pdf'],
  ])('named %s', async (named, name) => {
    const head = `--x7\r\ncontent-disposition: form-data; ${named}; name=file\r\n\r\n`;
    const { file } = await read(requestOf(Buffer.from(`${head}x\r\n--x7--\r\n`)));
    expect([file?.filename, file?.mimeType]).toEqual([name, null]);
  });

  test.each(['\r\n', 'This is a form.\r\n', '--x\r\n\r\n'])('behind the preamble %j', async (preamble) => {
    const body = Buffer.concat([Buffer.from(preamble), form('x')]);
    const { bytes, file, fields: found } = await read(requestOf(body, [1, 1, 1, 1]));
    expect([bytes.toString(), found, file?.filename]).toEqual(['x', { channel_id: 'c1' }, 'a.bin']);
  });

  test.each(['binary', '8bit', '7BIT'])('with a part that says %s', async (encoding) => {
    const head = `--x7\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\nContent-Transfer-Encoding: ${encoding}\r\n\r\n`;
    const { bytes } = await read(requestOf(Buffer.from(`${fields}${head}%PDF\r\n--x7--`)));
    expect(bytes.toString()).toBe('%PDF');
  });

  test('not at all if a browser sends the field empty', async () => {
    const head = '--x7\r\ncontent-disposition: form-data; name="media"; filename=""\r\n\r\n';
    const { file } = await read(requestOf(Buffer.from(`${fields}${head}\r\n--x7--\r\n`)));
    expect(file).toBeNull();
  });
});

test('its fields have half a minute, however large its file is said to be', async () => {
  const clock = new FakeClock();
  const request = requestOf(Buffer.from(fields), [], 90 * 1024 * 1024, false);
  const opened = openFileForm(request, 'a1', { uploadSlots: new FileSlots(), clock });
  clock.advance(30_000);
  await expect(opened).rejects.toMatchObject({ status: 408 });
});

test('what was passed on is not held: a file of 32 MiB takes less than four', async () => {
  setFlagsFromString('--expose-gc');
  const collect: () => void = runInNewContext('gc');
  const held = (): number => {
    collect();
    return process.memoryUsage().arrayBuffers;
  };
  const [count, mib] = [32, 1024 * 1024];
  const head = Buffer.from(fields + fileHead);
  const request = requestOf(head, [], head.length + count * mib + '\r\n--x7--'.length, false);
  const context = { uploadSlots: new FileSlots(), clock: new FakeClock() };
  const { file, end } = await openFileForm(request, 'a1', context);
  const content = file?.content[Symbol.asyncIterator]();
  const before = held();
  for (let piece = 0; piece < count; piece += 1) {
    request.push(Buffer.alloc(mib));
    // oxlint-disable-next-line no-await-in-loop -- one after the other, as they arrive
    await content?.next();
  }
  // V8 gives the memory of collected buffers back beside the program.
  await until('the pieces to be freed', () => held() - before < 4 * mib);
  end();
});

describe('a form is refused', () => {
  test.each([
    ['without a boundary in it', 'hello there, this is no form at all'],
    ['that ends within a head', '--x7\r\nContent-Disposition: form-data; na'],
    ['that ends within a field', fields.slice(0, -4)],
    ['with a part without a name', '--x7\r\nContent-Type: text/plain\r\n\r\nx\r\n--x7--'],
    ['with text behind a boundary', '--x7 and more\r\n\r\nx\r\n--x7--'],
  ])('%s', async (_what, body) => {
    expect(await refusal(requestOf(Buffer.from(body)))).toEqual(unreadable);
  });

  test.each([
    ['with a part behind its file', form('x\r\n--x7\r\nContent-Disposition: form-data; name="b"\r\n\r\ny')],
    ['with text behind its end', form('x', '\r\nmore')],
    ['without its end', Buffer.from(`${fields}${fileHead}${'x'.repeat(100)}`)],
  ])('%s', async (_what, body) => {
    expect(await refusal(requestOf(body))).toEqual(notLast);
  });

  test('with an empty file', async () => {
    for (const end of ['', '\r\n', '\r\n\r\n'])
      expect(await refusal(requestOf(form('', end)))).toEqual(
        bodyError(['body', 'file'], 'The file is empty'),
      );
  });

  test('with a file that is a field: a path or a text, where the bytes were meant', async () => {
    for (const head of ['form-data; name=file', 'form-data; name="file"\r\nContent-Type: text/plain'])
      expect(
        await refusal(
          requestOf(Buffer.from(`${fields}--x7\r\nContent-Disposition: ${head}\r\n\r\n/tmp/x.pdf\r\n--x7--`)),
        ),
      ).toEqual(bodyError(['body', 'file'], 'Must be a file part, with a filename'));
  });

  test('with a name of its file that is not in UTF-8, as Windows curl writes it', async () => {
    const head = '--x7\r\nContent-Disposition: form-data; name="file"; filename="B\xfccher.pdf"\r\n\r\n';
    expect(await refusal(requestOf(Buffer.from(`${head}x\r\n--x7--`, 'latin1')))).toEqual(
      bodyError(['body', 'file'], 'The filename must be in UTF-8'),
    );
  });

  test.each(['base64', 'quoted-printable', 'BASE64'])(
    'with a file whose bytes are encoded, as Ansible sends each: %s [faults: 551]',
    async (encoding) => {
      const head = `--x7\r\nContent-Transfer-Encoding: ${encoding}\r\nContent-Disposition: form-data; name="file"; filename="a.pdf"\r\n\r\n`;
      expect(await refusal(requestOf(Buffer.from(`${fields}${head}JVBERi0=\r\n--x7--`)))).toEqual(
        bodyError(['body', 'file'], 'The file must be sent as it is, without a Content-Transfer-Encoding'),
      );
    },
  );

  test('with more before its file than any form has', async () => {
    const much = `--x7\r\nContent-Disposition: form-data; name="a"\r\n\r\n${'x'.repeat(70_000)}`;
    expect(await refusal(requestOf(Buffer.from(much), [66_000]))).toEqual([413, 'Request body too large']);
    const many = '--x7\r\nContent-Disposition: form-data; name="a"\r\n\r\n1\r\n'.repeat(200);
    expect(await refusal(requestOf(Buffer.from(many)))).toEqual([413, 'Request body too large']);
  });
});
