import http from 'node:http';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { BusyNumber } from '../../bench/load/busy.ts';
import { openReceiver } from '../../bench/load/receiver.ts';
import type { Receiver } from '../../bench/load/receiver.ts';
import { listening } from '../support/ports.ts';

/** Accepts every POST and delivers the events only when it is asked what is left to deliver. */
let server: http.Server;
let receiver: Receiver;
let url = '';
const held: string[] = [];

beforeAll(async () => {
  receiver = await openReceiver();
  server = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      held.push(/inbound \d+;/.exec(Buffer.concat(chunks).toString())?.[0] ?? '');
      response.writeHead(200).end();
    });
  });
  url = `http://127.0.0.1:${await listening(server)}`;
});

afterAll(() => {
  server.closeAllConnections();
  server.close();
  receiver.close();
});

async function deliverOne(): Promise<number> {
  const text = held.shift();
  if (text === undefined) return 0;
  const body = JSON.stringify({ event: 'message.received', data: { message_id: text, text } });
  await fetch(receiver.url, { method: 'POST', body });
  return held.length + 1;
}

const plan = () => ({
  sends: { url: `${url}/send`, headers: {}, body: () => '{}' },
  hook: { url: `${url}/hook`, phone: '422300000000102' },
  receiver,
  rate: { sends: 0, inbound: 50 },
  seconds: 0.1,
  drainMs: 0,
});

test('what the server reports as pending is late, not lost', async () => {
  const load = new BusyNumber({ ...plan(), pending: deliverOne });
  await load.run();
  const { expected, delivered, lost } = load.ledger.account([]).events;
  expect(expected).toBeGreaterThan(0);
  expect({ delivered, lost }).toEqual({ delivered: expected, lost: 0 });
});

test('of a server that does not report it, what has not come by then is lost', async () => {
  const load = new BusyNumber({ ...plan(), pending: null });
  await load.run();
  const { expected, delivered, lost } = load.ledger.account([]).events;
  expect({ delivered, lost }).toEqual({ delivered: 0, lost: expected });
});
