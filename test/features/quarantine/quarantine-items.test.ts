/** [faults: 151] Work that crashed its node and was quarantined: retried or dropped by an operator. */
import { describe, expect, test } from '@jest/globals';
import { sealContext } from '../../../src/kernel/sealed.ts';
import { StoreUnavailable } from '../../../src/kernel/faults.ts';
import { silentLog } from '../../support/silent-log.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { quarantine } from '../../../src/features/quarantine/quarantine-items.ts';
import { channelOf, echoOf, fileOf, inboundOf } from '../../rules/samples.ts';
import { everything } from '../../../src/kernel/paging.ts';
import { refusalOf } from '../support/service.ts';
import { serviceForEach } from '../support/shared-service.ts';

const service = serviceForEach();

const listed = async () => (await service.features.listQuarantine(everything)).items;

describe('a quarantined item', () => {
  const of = { reason: 'ended_node', channelType: 'pagechat', identity: '1', accountId: null } as const;

  async function kept(kind: string, what: unknown): Promise<{ id: string; channelId: string }> {
    const [id, channelId] = [newId(), newId()];
    const sealed = service.sealer.sealText(JSON.stringify(what), sealContext.quarantined(channelId, id));
    const seen = { createdAt: 1, lastSeenAt: 7 };
    await service.stores.quarantine.add([
      { id, channelId, ...of, kind, shape: 'x', times: 2, ...seen, sealed },
    ]);
    return { id, channelId };
  }

  test('with facts is retried as those facts, and gone then', async () => {
    const facts = [{ kind: 'status' }, { kind: 'echo' }];
    const { id, channelId } = await kept('facts', facts);
    await service.features.retryQuarantined(id);
    expect(service.router.asked).toEqual([{ channelId, ask: { type: 'take-facts', facts } }]);
    expect(await listed()).toEqual([]);
  });

  test('with a delivery makes another event besides the first', async () => {
    const envelope = { timestamp: '2026-01-01T00:00:00.000Z', data: { message_id: 'm-1', text: 'Hello' } };
    const event = { event: 'message.received', messageId: 'm-1', requestId: 'r-1' };
    const { id, channelId } = await kept('delivery', { ...event, body: JSON.stringify(envelope) });
    await service.features.retryQuarantined(id);
    const told = { ...event, at: Date.UTC(2026, 0, 1), data: envelope.data, again: 7 };
    expect(service.router.asked).toEqual([{ channelId, ask: { type: 'emit', told } }]);
  });

  test('stays if its channel does not accept it', async () => {
    const { id, channelId } = await kept('facts', []);
    service.router.unreachable.set(channelId, new StoreUnavailable('away'));
    await expect(service.features.retryQuarantined(id)).rejects.toThrow('away');
    expect(await listed()).toHaveLength(1);
  });

  test.each(['facts', 'files'])('with %s stays if its channel receives nothing now', async (kind) => {
    await kept(kind, kind === 'facts' ? [inboundOf()] : inboundOf());
    service.router.dropped = 1;
    const [{ id } = { id: '' }] = await listed();
    expect(await refusalOf(service.features.retryQuarantined(id))).toMatchObject({ status: 409 });
    expect(await listed()).toHaveLength(1);
    service.router.dropped = 0;
    await service.features.retryQuarantined(id);
    expect(await listed()).toEqual([]);
  });

  test('with only a shape cannot be retried', async () => {
    service.parser.post = null;
    await expect(service.features.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({
      status: 400,
    });
    const [item] = await listed();
    expect(await refusalOf(service.features.retryQuarantined(item?.id ?? ''))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('Only the shape of this item is stored'),
    });
  });

  test('with only a shape and a known channel cannot be retried either', async () => {
    const [id, channelId] = [newId(), newId()];
    const seen = { createdAt: 1, lastSeenAt: 7, sealed: null, shape: '{}', times: 1 };
    await service.stores.quarantine.add([{ id, channelId, ...of, kind: 'messages', ...seen }]);
    expect((await refusalOf(service.features.retryQuarantined(id))).status).toBe(400);
    expect(await listed()).toHaveLength(1);
  });

  test('is dropped once', async () => {
    const { id } = await kept('facts', []);
    await service.features.dropQuarantined(id);
    expect(await listed()).toEqual([]);
    const gone = { status: 404, detail: 'Quarantined item not found' };
    expect(await refusalOf(service.features.dropQuarantined(id))).toEqual(gone);
    expect(await refusalOf(service.features.retryQuarantined(id))).toEqual(gone);
  });
});

describe('quarantining', () => {
  const channel = channelOf('pagechat');
  const counted: unknown[] = [];
  const said: unknown[] = [];

  async function aside(item: Parameters<typeof quarantine>[1]): Promise<void> {
    counted.length = 0;
    said.length = 0;
    const { stores, sealer, clock } = service;
    await quarantine(
      {
        stores,
        sealer,
        clock,
        counters: { increment: (...given) => void counted.push(given) },
        log: { ...silentLog, error: (...given) => void said.push(given) },
      },
      item,
    );
  }

  test('stores the work, its channel and its attempts, and logs it', async () => {
    const id = newId();
    const file = { type: 'image' as const, file: fileOf() };
    const fact = inboundOf({ parts: [file, { type: 'text', text: 'Hello' }] });
    await aside({ kind: 'files', id, channel, tries: 3, fact });
    const [item] = await listed();
    expect(item).toMatchObject({
      reason: 'ended_node',
      channelType: 'pagechat',
      channelId: channel.id,
      accountId: channel.accountId,
      identity: channel.identity,
      kind: 'files',
      shape: 'image, text',
      times: 3,
      createdAt: service.clock.now(),
      lastSeenAt: service.clock.now(),
    });
    expect(counted).toEqual([['quarantined_total', { kind: 'files' }]]);
    expect(said).toEqual([
      [{ channel: channel.id, quarantined: item?.id, tries: 3, kind: 'files' }, 'quarantine.put-aside'],
    ]);
    await service.features.retryQuarantined(item?.id ?? '');
    expect(service.router.asked.at(-1)?.ask).toEqual({
      type: 'take-facts',
      facts: [{ ...fact, again: service.clock.now() }],
    });
  });

  test('of facts names each kind once', async () => {
    await aside({ kind: 'facts', id: newId(), channel, tries: 2, facts: [inboundOf(), echoOf(), echoOf()] });
    expect((await listed()).map(({ shape }) => shape)).toEqual(['inbound, echo']);
  });

  test.each([null, 'r-1'])('of a delivery stores its event and its request id: %j', async (requestId) => {
    const body = JSON.stringify({ timestamp: '2026-01-01T00:00:00.000Z', data: { message_id: 'm-1' } });
    const event = { event: 'message.received', messageId: 'm-1' } as const;
    await aside({
      kind: 'delivery',
      id: newId(),
      channel,
      ownerId: channel.id,
      tries: 2,
      ...event,
      requestId,
      body,
    });
    const [item] = await listed();
    expect(item?.shape).toBe('message.received');
    await service.features.retryQuarantined(item?.id ?? '');
    expect(service.router.asked.at(-1)?.ask).toEqual({
      type: 'emit',
      told: {
        ...event,
        ...(requestId === null ? {} : { requestId }),
        at: Date.UTC(2026, 0, 1),
        data: { message_id: 'm-1' },
        again: service.clock.now(),
      },
    });
  });

  test('twice makes one item', async () => {
    const id = newId();
    for (let n = 0; n < 2; n += 1)
      await aside({ kind: 'facts', id, channel, tries: 2, facts: [inboundOf()] });
    expect(await listed()).toHaveLength(1);
  });
});
