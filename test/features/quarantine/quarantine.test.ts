/** [faults: 46, I11] The parts of upstream's POSTs that could not be parsed, for operators. */
import { expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import type { UnparsedItem } from '../../../src/rules/messages/facts.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { connectedChannel, newTenant } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();

function anItem(over: Partial<UnparsedItem> = {}): UnparsedItem {
  return {
    reason: 'malformed',
    channelType: 'chatapp',
    identity: '1',
    kind: 'messages',
    shape: '{}',
    times: 1,
    ...over,
  };
}

async function receive(...unparsed: UnparsedItem[]): Promise<void> {
  service.parser.post = { facts: [], malformed: unparsed.length, ignored: 0, unparsed, notices: [] };
  await service.features.receiveUpstreamPost(new Uint8Array());
}

const listed = async () => (await service.features.listQuarantine(everything)).items;

test('an item has the channel and account of its identity, if it is connected', async () => {
  const tenant = await newTenant(service);
  const { id: channelId, identity, accountId } = await connectedChannel(service, tenant, 'pagechat');
  await receive(anItem({ channelType: 'pagechat', identity }), anItem());
  expect(await listed()).toEqual(
    expect.arrayContaining([
      expect.objectContaining({ channelId, accountId }),
      expect.objectContaining({ identity: '1', channelId: null, accountId: null }),
    ]),
  );
});

test('items of one shape are one entry with a count, over several POSTs and writes', async () => {
  await receive(anItem({ times: 2 }), anItem(), anItem({ shape: '{a: string}' }));
  const [first] = (await listed()).filter(({ shape }) => shape === '{}');
  service.clock.pass(5_000);
  await receive(anItem());
  const entries = await listed();
  expect(entries).toHaveLength(2);
  expect(entries.find(({ shape }) => shape === '{}')).toEqual({
    ...first,
    times: 4,
    lastSeenAt: (first?.lastSeenAt ?? 0) + 5_000,
  });
});

test('items of one shape that differ in anything else are separate', async () => {
  const others = [
    { reason: 'unknown' },
    { channelType: 'pagechat' },
    { channelType: null },
    { identity: '2' },
    { identity: null },
    { kind: 'statuses' },
  ] as const;
  await receive(anItem(), ...others.map(anItem));
  expect(await listed()).toHaveLength(7);
});

test('other failures of a POST are not stored, because their text may be private', async () => {
  service.parser.parse = () => Promise.reject(new Error('a bug near "Hello"'));
  await expect(service.features.receiveUpstreamPost(new Uint8Array())).rejects.toThrow('a bug');
  expect(await listed()).toEqual([]);
});

test('nothing is written if nothing was collected', async () => {
  service.stores.quarantine.add = () => Promise.reject(new StoreUnavailable('away'));
  await service.features.flushBuffers();
});

test('a POST that cannot be parsed at all is an entry too, and is refused as before', async () => {
  service.parser.post = null;
  await expect(service.features.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({ status: 400 });
  expect(await listed()).toEqual([
    expect.objectContaining({ reason: 'unreadable', kind: 'post', channelId: null, times: 1 }),
  ]);
});

test('200 shapes are held between two writes, and the store keeps the 1,000 last seen', async () => {
  for (let round = 0; round < 6; round += 1) {
    await receive(...Array.from({ length: 300 }, (_, n) => anItem({ kind: `${round} ${n}` })));
    await service.features.flushBuffers();
    service.clock.pass(1);
  }
  expect(await listed()).toHaveLength(1_200);
  await service.features.trimBuffers();
  const left = await listed();
  expect(left).toHaveLength(1_000);
  expect(left.some(({ kind }) => kind.startsWith('0 '))).toBe(false);
  service.clock.pass(30 * 86_400_000 + 1);
  await service.features.trimBuffers();
  expect(await listed()).toEqual([]);
});

test('what the store did not accept is written the next time', async () => {
  const { quarantine } = service.stores;
  const add = quarantine.add.bind(quarantine);
  quarantine.add = () => Promise.reject(new StoreUnavailable('away'));
  await receive(anItem());
  await expect(service.features.flushBuffers()).rejects.toThrow('away');
  await receive(anItem());
  quarantine.add = add;
  expect(await listed()).toEqual([expect.objectContaining({ times: 2 })]);
});

test('an item that is retried twice at once makes the same event', async () => {
  const [id, channelId] = [newId(), newId()];
  const sealed = service.sealer.sealText('{"kind":"inbound"}', sealContext.quarantined(channelId, id));
  const seen = { createdAt: 1, lastSeenAt: 7 };
  const of = { reason: 'ended_node', channelType: 'pagechat', identity: '1', accountId: newId() } as const;
  await service.stores.quarantine.add([
    { id, channelId, ...of, kind: 'files', shape: 'image', times: 2, ...seen, sealed },
  ]);
  // The second retry comes during the first, with a later time.
  service.router.beforeAnswer = async () => {
    service.clock.pass(5);
    if (service.router.asked.length === 1) await service.features.retryQuarantined(id);
  };
  await service.features.retryQuarantined(id);
  expect(service.router.asked.map(({ ask }) => ask)).toEqual([
    { type: 'take-facts', facts: [{ kind: 'inbound', again: 7 }] },
    { type: 'take-facts', facts: [{ kind: 'inbound', again: 7 }] },
  ]);
});

test('a failed write of one log does not prevent those of the others', async () => {
  const { quarantine, requestLog } = service.stores;
  const add = quarantine.add.bind(quarantine);
  quarantine.add = () => Promise.reject(new StoreUnavailable('away'));
  const accountId = newId();
  const call = { apiKeyId: 'key', method: 'GET', route: '/api/v1/channels', status: 200, code: null };
  service.features.noteRequest({ ...call, accountId, requestId: 'request-1', durationMs: 1 });
  await receive(anItem());
  await expect(service.features.flushBuffers()).rejects.toThrow('away');
  quarantine.add = add;
  const { items } = await requestLog.list(accountId, { since: 0 }, { limit: 2, cursor: null });
  expect(items.map(({ requestId }) => requestId)).toEqual(['request-1']);
});

test('a reader sees it while it is being written', async () => {
  const { quarantine } = service.stores;
  const add = quarantine.add.bind(quarantine);
  let write = (): void => undefined;
  const mayWrite = new Promise<void>((resolve) => (write = resolve));
  quarantine.add = async (items) => {
    await mayWrite;
    await add(items);
  };
  await receive(anItem());
  const keeping = service.features.flushBuffers();
  const looking = listed();
  write();
  await keeping;
  expect(await looking).toHaveLength(1);
});
