/**
 * A receiver with a slow path and a dead one is reached [nodejs/node, nodejs/undici, ccxt/ccxt: Node gives up each address but the last after
 * 250 ms]. The dead path is an address that no packet comes back from; the slow one is a connection whose handshake takes a second.
 */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import {
  connect as netConnect,
  getDefaultAutoSelectFamilyAttemptTimeout,
  setDefaultAutoSelectFamilyAttemptTimeout,
  Socket,
} from 'node:net';
import { join } from 'node:path';
import { expect, test } from '@jest/globals';
import { Pool, buildConnector } from 'undici';
import { guardedConnector, makeDial, ownListeners } from '../../src/delivery/dial.ts';
import { noNetworks } from '../../src/rules/address.ts';
import { haveAddressPatience } from '../../src/kernel/address-patience.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { closeAfterEach } from '../support/closing.ts';
import { plain, receiver } from '../delivery/receivers.ts';

const closeLater = closeAfterEach();
const slowMs = 1_000;

test.each([
  ['before the slow one', ['2001:db8::1', '192.0.2.1']],
  ['after the slow one', ['192.0.2.1', '2001:db8::1']],
])('with the dead address %s', async (_, addresses) => {
  const target = await receiver(plain('200 OK'));
  closeLater(() => target.close());
  const open = (address: string): Socket => {
    const socket = new Socket();
    if (address === '192.0.2.1') systemClock.after(slowMs, () => socket.connect(target.port, '127.0.0.1'));
    return socket;
  };
  const rules = { allowInsecure: true, networks: noNetworks, own: ownListeners([]) };
  const timeoutMs = 5_000;
  const dial = makeDial({ lookup: async () => addresses, rules, clock: systemClock, timeoutMs, open });
  const connect = guardedConnector(buildConnector({ timeout: timeoutMs }), dial);
  const pool = new Pool(`http://receiver.test:${target.port}`, { connect });
  closeLater(() => pool.destroy());
  const keepAlive = setInterval(() => undefined, 100);
  closeLater(async () => clearInterval(keepAlive));

  const { statusCode } = await pool.request({ path: '/', method: 'POST', body: '{}' });

  expect([statusCode, target.connections]).toEqual([200, 1]);
});

/** A server whose queue of connections is full while it stands still: the kernel drops a handshake, which is repeated after a second. */
async function busyServer(): Promise<{ port: number; goesOn: () => void }> {
  const listen = "require('node:net').createServer().listen({ port: 0, host: '127.0.0.1', backlog: 1 }";
  const say = '() => console.log(server.address().port)';
  const child = spawn(process.execPath, ['-e', `const server = ${listen}, ${say})`]);
  closeLater(async () => void child.kill('SIGKILL'));
  const [line] = await once(child.stdout, 'data');
  const port = Number(String(line));
  child.kill('SIGSTOP');
  const others = Array.from({ length: 8 }, () => netConnect(port, '127.0.0.1').on('error', () => undefined));
  closeLater(async () => others.forEach((socket) => socket.destroy()));
  await new Promise<void>((resolve) => {
    let connected = 0;
    for (const socket of others) socket.once('connect', () => (connected += 1) === 2 && resolve());
  });
  return { port, goesOn: () => child.kill('SIGCONT') };
}

/** As the drivers of MongoDB and Redis, nodemailer and `listen` connect: by Node's default, to a slow address and a dead one. */
async function connectsByDefault(): Promise<string> {
  const { port, goesOn } = await busyServer();
  const addresses = ['127.0.0.1', '127.0.0.2'].map((address) => ({ address, family: 4 }));
  const socket = netConnect({
    host: 'store.test',
    port,
    autoSelectFamily: true,
    lookup: (_host, _options, found) => found(null, addresses),
  });
  closeLater(async () => void socket.destroy());
  goesOn();
  return once(socket, 'connect').then(
    () => 'connected',
    () => 'given up',
  );
}

test('connections of libraries wait for a slow address too', async () => {
  const before = getDefaultAutoSelectFamilyAttemptTimeout();
  closeLater(async () => setDefaultAutoSelectFamilyAttemptTimeout(before));
  setDefaultAutoSelectFamilyAttemptTimeout(250);
  expect(await connectsByDefault()).toBe('given up');
  haveAddressPatience();
  expect(await connectsByDefault()).toBe('connected');
});

test.each(['src/app/build.ts', 'src/app/listen-cli.ts'])('%s asks for that before it connects', (file) => {
  const text = readFileSync(join(import.meta.dirname, '../..', file), 'utf8');
  expect(text).toMatch(/^ {2}haveAddressPatience\(\);$/m);
});
