/**
 * A receiver with a slow path and a dead one is reached [nodejs/node, nodejs/undici, ccxt/ccxt: Node gives up each address but the last after
 * 250 ms]. The dead path is an address that no packet comes back from; the slow one is a connection whose handshake takes a second.
 */
import { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { Pool, buildConnector } from 'undici';
import { guardedConnector, makeDial, ownListeners } from '../../src/adapters/dial.ts';
import { noNetworks } from '../../src/domain/address.ts';
import { systemClock } from '../../src/kernel/clock.ts';
import { closeAfterEach } from '../support/closing.ts';
import { plain, receiver } from '../webhooks/receivers.ts';

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
