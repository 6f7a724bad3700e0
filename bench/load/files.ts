/** Files that people send: one POST of upstream for each file. A file has moved when the client has received its event. */
import { setTimeout as wait } from 'node:timers/promises';
import { fileId } from '../upstream-files.ts';
import type { Receiver } from './receiver.ts';
import { filePost, signed } from './upstream-posts.ts';

interface FileSize {
  megabytes: number;
  /** Rate at which upstream sends the file, in MB per second; 0: as fast as the service reads. */
  perSecond: number;
}

interface Moved {
  downloadUrl: string;
  bytes: number;
}

const arriveMs = 120_000;
let sent = 0;

/** For one receiver, whose `arrived` it takes over. */
export class Files {
  readonly #hook: string;
  readonly #waiting = new Map<string, (moved: Moved) => void>();

  constructor(hook: string, receiver: Receiver) {
    this.#hook = hook;
    receiver.arrived = (body) => this.#arrived(body);
  }

  /** Rejects if the service could not fetch the file, or if the event has not arrived within two minutes. */
  async move(phone: string, { megabytes, perSecond }: FileSize): Promise<Moved> {
    sent += 1;
    const caption = `file ${sent};`;
    const moved = new Promise<Moved>((resolve) => this.#waiting.set(caption, resolve));
    const body = filePost(
      phone,
      `wamid.file-${process.pid}-${sent}`,
      fileId(megabytes, perSecond, sent),
      caption,
    );
    const headers = { 'content-type': 'application/json', ...signed(body) };
    const answer = await fetch(this.#hook, { method: 'POST', headers, body });
    if (answer.status !== 200) throw new Error(`upstream's POST was answered ${answer.status}`);
    const late = new AbortController();
    try {
      return await Promise.race([moved, tooLate(caption, late.signal)]);
    } finally {
      late.abort();
      this.#waiting.delete(caption);
    }
  }

  #arrived(body: string): void {
    const caption = /file \d+;/.exec(body)?.[0] ?? '';
    const { data }: { data: { media: { download_url: string | null; file_size: number | null } } } =
      JSON.parse(body);
    const { download_url: downloadUrl, file_size: bytes } = data.media;
    this.#waiting.get(caption)?.({ downloadUrl: downloadUrl ?? '', bytes: bytes ?? 0 });
  }
}

async function tooLate(caption: string, signal: AbortSignal): Promise<never> {
  await wait(arriveMs, undefined, { signal });
  throw new Error(`${caption} did not arrive`);
}

/** Downloads as a client does: reads to the end and keeps nothing. */
export async function download(url: string, key: string): Promise<number> {
  const answer = await fetch(url, { headers: { 'x-api-key': key } });
  if (answer.status !== 200 || answer.body === null)
    throw new Error(`the file was answered ${answer.status}`);
  let bytes = 0;
  for await (const piece of answer.body) bytes += piece.length;
  return bytes;
}
