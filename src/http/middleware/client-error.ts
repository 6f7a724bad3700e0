import type { Duplex } from 'node:stream';
import type { Clock } from '../../kernel/clock.ts';
import { destroyAfterLinger } from './refused-body.ts';

interface Refused {
  status: string;
  detail: string;
}

const refusals: Record<string, Refused> = {
  HPE_HEADER_OVERFLOW: { status: '431 Request Header Fields Too Large', detail: 'Request headers too large' },
  ERR_HTTP_REQUEST_TIMEOUT: { status: '408 Request Timeout', detail: 'The request took too long to arrive' },
};
const malformed: Refused = { status: '400 Bad Request', detail: 'Malformed HTTP request' };

/**
 * Answers on the socket what Node's strict parser rejects, since it never becomes a request, and then closes the connection even if the
 * peer keeps its half open. Every error has a `detail`, this one too. [spec: Errors; faults 86, 93]
 */
export function refuseMalformed(error: Error & { code?: string }, socket: Duplex, clock: Clock): void {
  if (error.code === 'ECONNRESET' || !socket.writable) {
    socket.destroy();
    return;
  }
  const { status, detail } = refusals[error.code ?? ''] ?? malformed;
  const body = JSON.stringify({ detail });
  const head = `HTTP/1.1 ${status}\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: ${body.length}`;
  socket.end(`${head}\r\n\r\n${body}`);
  destroyAfterLinger(socket, clock);
}
