import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import http from 'node:http';
import { carryEvents } from '../../bench/load/events.ts';
import { openLoop, pace } from '../../bench/load/open.ts';
import { openReceiver } from '../../bench/load/receiver.ts';
import type { Receiver } from '../../bench/load/receiver.ts';
import { listening } from '../support/ports.ts';

/** Answers at once; forwards every second body to the receiver twice, and the others never. */
let relay: http.Server;
let receiver: Receiver;
let url = '';

beforeAll(async () => {
  receiver = await openReceiver();
  let taken = 0;
  relay = http.createServer((request, response) => {
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      taken += 1;
      const isRefused = request.url === '/half' && taken % 2 === 0;
      response.writeHead(isRefused ? 503 : 200).end();
      if (isRefused) return;
      for (let copy = 0; copy < 2; copy += 1) {
        http
          .request(receiver.url, { method: 'POST' }, (answer) => answer.resume())
          .end(Buffer.concat(chunks));
      }
    });
  });
  url = `http://127.0.0.1:${await listening(relay)}`;
});

afterAll(() => {
  relay.closeAllConnections();
  relay.close();
  receiver.close();
});

const load = () => ({
  receiver,
  phones: ['422300000000002'],
  seconds: 5,
  most: 20,
  pacing: { inFlight: 4 },
});

describe('events', () => {
  test('an event counts once the receiver has it, once however often it arrives', async () => {
    const carried = await carryEvents({ ...load(), url: `${url}/` });
    expect(carried).toMatchObject({ units: 20, failed: 0 });
    expect(carried.p99Ms).toBeGreaterThan(0);
  });

  test('a refused event has failed and does not count', async () => {
    expect(await carryEvents({ ...load(), url: `${url}/half` })).toMatchObject({ units: 10, failed: 10 });
  });
});

describe('the open loop', () => {
  test('requests are due at their own times, whatever the server does', async () => {
    const due: number[] = [];
    await pace(1_000, 50, async (_, dueAt) => void due.push(dueAt));
    expect(due.map((at) => Math.round(at - (due[0] ?? 0)))).toEqual(Array.from({ length: 50 }, (_, n) => n));
  });

  test('latency counts from the time at which a request was due, and any status except 200 has failed', async () => {
    const request = () => ({ body: '{}', headers: {} });
    const good = await openLoop({ url: `${url}/`, perSecond: 200, seconds: 0.2, request });
    expect(good).toMatchObject({ count: 40, failed: 0 });
    const half = await openLoop({ url: `${url}/half`, perSecond: 200, seconds: 0.2, request });
    expect(half).toMatchObject({ count: 20, failed: 20 });
  });
});
