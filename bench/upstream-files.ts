/**
 * Files as upstream offers them: a JSON node with the URL of the bytes, and the bytes, generated while they are read. A file's id encodes
 * its properties: `88`, its MB, its MB per second (0: as fast as it is read), and a number.
 */
import type http from 'node:http';

const idOf = /\/(88(\d{4})(\d{4})\d{8})$/;
const mb = 1_000_000;
const piece = Buffer.alloc(65_536, '%PDF-1.7 a page and then another; ');
const tickMs = 20;

export function fileId(megabytes: number, perSecond: number, number: number): string {
  const digits = (value: number, width: number): string => String(value).padStart(width, '0');
  return `88${digits(megabytes, 4)}${digits(perSecond, 4)}${digits(number, 8)}`;
}

/** Returns false if the request is not for a file. */
export function answerFile(request: http.IncomingMessage, response: http.ServerResponse): boolean {
  const [path = ''] = (request.url ?? '').split('?');
  const [, id, megabytes, perSecond] = request.method === 'GET' ? (idOf.exec(path) ?? []) : [];
  if (id === undefined) return false;
  const size = Number(megabytes) * mb;
  if (path.startsWith('/stub/files/')) sendBytes(response, size, Number(perSecond) * mb);
  else {
    const url = `http://${request.headers.host}/stub/files/${id}`;
    const node = { messaging_product: 'whatsapp', url, mime_type: 'application/pdf', file_size: size, id };
    response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify(node));
  }
  return true;
}

/** `perSecond`: bytes per second; 0: as fast as the reader takes them. */
function sendBytes(response: http.ServerResponse, size: number, perSecond: number): void {
  response.writeHead(200, { 'content-type': 'application/pdf', 'content-length': size });
  const startedAt = performance.now();
  let left = size;
  const more = (): void => {
    const due = perSecond === 0 ? size : ((performance.now() - startedAt + tickMs) / 1_000) * perSecond;
    while (left > 0 && size - left < due) {
      if (response.destroyed) return;
      const next = piece.subarray(0, Math.min(left, piece.length));
      left -= next.length;
      if (!response.write(next)) return void response.once('drain', more);
    }
    if (left === 0) return void response.end();
    setTimeout(more, tickMs);
  };
  more();
}
