/** A client's webhook receiver in this process, so that an event's latency is measured with one clock. */
import http from 'node:http';
import { listening } from '../../test/support/ports.ts';

export interface Receiver {
  url: string;
  /** Called once per POST, after the 200. */
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

/** Returns the number that `asText` wrote into the event's text; NaN if there is none. */
export function stampOf(body: string): number {
  return Number(stamp.exec(body)?.[1] ?? NaN);
}

export function asText(n: number): string {
  return `event ${n}; hello, are you open on Sunday? We are six and would come at noon.`;
}
