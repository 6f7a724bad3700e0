/** [faults: 180] An export of changes whose client does not read it. */
import { once } from 'node:events';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import type { Socket } from 'node:net';
import { expect, test } from '@jest/globals';
import { FileSlots, ofExports } from '../../../src/http/middleware/file-slots.ts';
import { exportAudit } from '../../../src/features/audit/pages/export.ts';
import { closeAfterEach } from '../../support/closing.ts';
import { FakeClock } from '../../support/fake-clock.ts';
import { listening } from '../../support/ports.ts';
import { until } from '../../support/until.ts';
import type { AuditEntry } from '../../../src/features/audit/entity.ts';

const closeLater = closeAfterEach();
const nobody = (): Promise<void> => Promise.resolve();

const entry: AuditEntry = {
  id: crypto.randomUUID(),
  accountId: crypto.randomUUID(),
  actor: 'key',
  actorName: crypto.randomUUID(),
  action: 'channel.updated',
  subject: crypto.randomUUID(),
  before: { name: 'x'.repeat(200) },
  after: { name: 'y'.repeat(200) },
  address: '192.0.2.1',
  requestId: crypto.randomUUID(),
  createdAt: Date.UTC(2026, 0),
  times: 1,
  lastAt: null,
};
const page = { items: Array.from({ length: 500 }, () => entry), nextCursor: { createdAt: 0, id: 'more' } };

test('an account has four exports at once, and each must be read within a minute: then its connection ends', async () => {
  const clock = new FakeClock();
  const exportSlots = new FileSlots(ofExports);
  const server = createServer((request, response) => {
    const context = { request, response, query: new URLSearchParams(), exportSlots, clock };
    exportAudit(context, request.url ?? '', { read: async () => page, began: nobody }).catch(
      (refusal: { status: number }) => response.writeHead(refusal.status).end(),
    );
  });
  closeLater(() => {
    server.closeAllConnections();
    server.close();
  });
  const port = await listening(server);
  const asking = async (account: string): Promise<{ socket: Socket; head: string }> => {
    const socket = connect(port, '127.0.0.1');
    closeLater(() => socket.destroy());
    socket.on('error', () => undefined);
    socket.write(`GET ${account} HTTP/1.1\r\nHost: x\r\n\r\n`);
    const [bytes] = await once(socket, 'data');
    socket.pause();
    return { socket, head: String(bytes).slice(9, 12) };
  };
  const unread = await Promise.all(Array.from({ length: 4 }, () => asking('/a')));
  expect(new Set(unread.map(({ head }) => head))).toEqual(new Set(['200']));
  expect([(await asking('/a')).head, (await asking('/b')).head]).toEqual(['503', '200']);
  await until('a place to be free again', async () => {
    clock.advance(60_000);
    return (await asking('/a')).head === '200';
  });
});

test('an export contains every matching change, however many reads that takes', async () => {
  const reads = 300;
  let left = reads;
  const read = async () => {
    left -= 1;
    return { items: [entry], nextCursor: left === 0 ? null : page.nextCursor };
  };
  const server = createServer((request, response) => {
    const query = new URLSearchParams('format=jsonl');
    const exportSlots = new FileSlots(ofExports);
    void exportAudit({ request, response, query, exportSlots, clock: new FakeClock() }, 'a', {
      read,
      began: nobody,
    });
  });
  closeLater(() => void server.close());
  const answer = await fetch(`http://127.0.0.1:${await listening(server)}/`);
  expect((await answer.text()).trim().split('\n')).toHaveLength(reads);
});
