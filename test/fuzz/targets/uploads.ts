/** Forms with a file: their Content-Type, and their bytes up to the file and around it. */
import type { Target } from '../target.ts';
import { checkStatus, openAttacked, tidied } from './attacked.ts';

/** An input is a line with the Content-Type, and the body. */
export async function openUploads(): Promise<Target> {
  const attacked = await openAttacked();
  const { world, defects, account, channels } = attacked;
  const [chatapp] = channels;
  const type = 'multipart/form-data; boundary=b';
  const field = (name: string, value: string): string =>
    `--b\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n${value}\r\n`;
  const fields = field('channel_id', '<channel>') + field('media_type', 'document');
  const file = (disposition: string, bytes: string): string =>
    `--b\r\nContent-Disposition: form-data; name="file"; ${disposition}\r\nContent-Type: application/pdf\r\n\r\n${bytes}\r\n`;
  const pdf = '%PDF-1.7\n1 0 obj\n';
  return {
    seeds: [
      `${type}\n${fields}${file('filename="a.pdf"', pdf)}--b--\r\n`,
      `${type}\n${fields}${file(`filename*=UTF-8''%e2%82%ac.pdf`, pdf)}--b--`,
      `${type}\n${fields}${file('filename="a%22b%0D.pdf"', pdf)}--b--`,
      `${type}\n${fields}${file('filename=""', '')}--b--`,
      `${type}\n${fields}${file('filename="a.pdf"', `${pdf}--b--`)}--b--`,
      `${type}\n${fields}--b--\r\n`,
      `multipart/form-data; boundary="a b"\n--a b--`,
      'multipart/form-data\n--b--',
      `application/json\n{}`,
    ],
    maxBytes: 100_000,
    async run(given) {
      const input = Buffer.from(
        given.toString('latin1').replaceAll('<channel>', chatapp?.id ?? ''),
        'latin1',
      );
      const end = input.indexOf('\n');
      const named = input
        .toString('latin1', 0, Math.max(0, end))
        .replaceAll(/[^\t\u0020-\u007e\u0080-\u00ff]/g, '');
      const { status, text } = await world.service.call('POST', '/api/v1/media', {
        key: account.key,
        raw: input.subarray(end + 1),
        headers: { 'content-type': named },
      });
      checkStatus(status, text);
      defects.check();
      const [, why = ''] = /"msg":"([^"]{1,40})|"detail":"([^"]{1,40})/.exec(text) ?? [];
      return `${status} ${why}`;
    },
    tidy: () => tidied(attacked),
    close: () => attacked.close(),
  };
}
