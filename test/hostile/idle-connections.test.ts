/** [faults: 290, 291] One address opens more connections than there are places: it pays for them alone. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import net from 'node:net';
import { afterEach, describe, expect, jest, test } from '@jest/globals';
import { placesOf } from '../../src/app/connection-places.ts';
import { call } from '../support/api.ts';
import { builtFile } from '../support/built.ts';
import { adminToken, bootSimulator, environment } from '../support/service.ts';
import { laxWorld } from '../support/upstream-app.ts';
import { until } from '../support/until.ts';
import { samplesOf, sumOf } from '../operations/prometheus.ts';

jest.setTimeout(120_000);

const files = 256;
const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).toReversed()) await end();
});

/** A service that may open `files` files, as one under `ulimit -n`. */
async function smallService(): Promise<{ url: string; port: number; logged: () => string }> {
  const simulator = await bootSimulator(laxWorld);
  const env = await environment(simulator.url, { LOG_LEVEL: 'warn' });
  const child = spawn(
    'sh',
    ['-c', `ulimit -n ${files} && exec "$0" "$1"`, process.execPath, builtFile('src/main.js')],
    {
      env: { PATH: process.env['PATH'] ?? '', ...env },
      stdio: ['ignore', 'pipe', 'ignore'],
    },
  );
  let logged = '';
  child.stdout.on('data', (bytes: Buffer) => (logged += bytes.toString()));
  ends.push(
    () => simulator.stop(),
    async () => {
      const gone = once(child, 'exit');
      child.kill('SIGKILL');
      await gone;
    },
  );
  const url = env['BASE_URL'] ?? '';
  await until('the service', async () => (await fetch(`${url}/readyz`).catch(() => null))?.status === 200);
  return { url, port: Number(env['PORT']), logged: () => logged };
}

/** A stranger at 127.0.0.2, which keeps its connections and asks `/healthz` on each. */
class Stranger {
  readonly #port: number;
  readonly sockets: net.Socket[] = [];

  constructor(port: number) {
    this.#port = port;
    ends.push(() => this.sockets.forEach((socket) => socket.destroy()));
  }

  async open(count: number, bytes: string): Promise<void> {
    const opened = Array.from({ length: count }, () => {
      const socket = net.connect({ port: this.#port, host: '127.0.0.1', localAddress: '127.0.0.2' });
      socket.on('error', () => undefined).resume();
      this.sockets.push(socket);
      return once(socket, 'connect').then(
        () => socket.write(bytes),
        () => undefined,
      );
    });
    await Promise.all(opened);
  }
}

const healthz = 'GET /healthz HTTP/1.1\r\nhost: x\r\n\r\n';
const half = 'POST /upstream/webhooks HTTP/1.1\r\nhost: x\r\ncontent-length: 100\r\n\r\nhalf';

describe('idle connections of one address', () => {
  test.each([
    ['each has had an answer', healthz],
    ['none has asked', ''],
    ['each has begun a body', half],
  ])('more than there are places, and %s: everybody else is served', async (_, bytes) => {
    const { url, port, logged } = await smallService();
    const stranger = new Stranger(port);
    for (let round = 0; round < 8; round += 1) {
      await stranger.open(50, bytes);
      const answers = await Promise.all(
        Array.from({ length: 5 }, () => call('GET', `${url}/healthz`, { headers: { connection: 'close' } })),
      );
      expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200, 200]);
    }
    const left = (): number => stranger.sockets.filter(({ destroyed }) => !destroyed).length;
    await until('the stranger to have paid', () => left() <= placesOf('public', files));
    // Those that go are its oldest.
    expect(stranger.sockets.slice(0, 250).every(({ destroyed }) => destroyed)).toBe(true);
    const metrics = await call('GET', `${url}/metrics`, {
      headers: { authorization: `Bearer ${adminToken}` },
    });
    expect(
      sumOf(samplesOf(metrics.text), 'connections_dropped_total', { listener: 'public', why: 'idle' }),
    ).toBeGreaterThan(250);
    const lines = logged()
      .trim()
      .split('\n')
      .filter((line) => line.includes('listener.full'));
    expect(lines.map((line) => JSON.parse(line))).toEqual([
      expect.objectContaining({
        listener: 'public',
        why: 'idle',
        network: '127.0.0.2',
        max: placesOf('public', files),
      }),
    ]);
  });
});

test('the places follow what the process may open', () => {
  expect([
    placesOf('public', 1_048_576),
    placesOf('operators', 1_048_576),
    placesOf('internal', 1_048_576),
  ]).toEqual([10_000, 1_000, 1_000]);
  for (const limit of [64, 256, 1_024, 4_096, 65_536]) {
    const all = placesOf('public', limit) + placesOf('operators', limit) + placesOf('internal', limit);
    expect(all).toBeLessThanOrEqual(limit - Math.min(2_000, limit / 2));
  }
});
