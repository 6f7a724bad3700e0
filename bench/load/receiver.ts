/** A client's webhook receiver in this process, so that an event's way ends on the clock where it began. */
import http from 'node:http';
import { listening } from '../../test/support/ports.ts';

export interface Receiver {
  url: string;
  /** Called once per POST, after it was answered 200. */
  arrived: (body: string) => void;
  close(): void;
}

const stamp = /event (\d+);/;

export async function openReceiver(): Promise<Receiver> {
  const server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('error', () => response.destroy());
    request.on('end', () => {
      response.writeHead(200).end();
      receiver.arrived(Buffer.concat(chunks).toString('latin1'));
    });
  });
  server.keepAliveTimeout = 75_000;
  const receiver: Receiver = {
    url: '',
    arrived: () => undefined,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  receiver.url = `http://127.0.0.1:${await listening(server)}/webhooks`;
  return receiver;
}

/** The number that `asText` wrote into an event's text; NaN: none. */
export function stampOf(body: string): number {
  return Number(stamp.exec(body)?.[1] ?? NaN);
}

export function asText(n: number): string {
  return `event ${n}; hello, are you open on Sunday? We are six and would come at noon.`;
}
