/** [faults: 151] What ended its node and was put aside: tried again, or let go, by an operator. */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals';
import { sealContext } from '../../src/domain/accounts/sealed.ts';
import { StoreUnavailable } from '../../src/kernel/faults.ts';
import { newId } from '../../src/kernel/ids.ts';
import { everything, openService, refusalOf } from './support/service.ts';
import type { Service } from './support/service.ts';

let service: Service;
beforeEach(async () => {
  service = await openService();
});
afterEach(() => service.close());

const listed = async () => (await service.useCases.listQuarantine(everything)).items;

describe('what was put aside', () => {
  const of = { reason: 'ended_node', channelType: 'pagechat', identity: '1', accountId: null } as const;

  async function putAside(kind: string, kept: unknown): Promise<{ id: string; channelId: string }> {
    const [id, channelId] = [newId(), newId()];
    const sealed = service.sealer.sealText(JSON.stringify(kept), sealContext.aside(channelId, id));
    const seen = { createdAt: 1, lastSeenAt: 7 };
    await service.stores.quarantine.add([
      { id, channelId, ...of, kind, shape: 'x', times: 2, ...seen, sealed },
    ]);
    return { id, channelId };
  }

  test('as facts is taken anew as they are, and is gone then', async () => {
    const facts = [{ kind: 'status' }, { kind: 'echo' }];
    const { id, channelId } = await putAside('facts', facts);
    await service.useCases.retryQuarantined(id);
    expect(service.router.asked).toEqual([{ channelId, ask: { type: 'take-facts', facts } }]);
    expect(await listed()).toEqual([]);
  });

  test('as a delivery is told anew, beside what was told of it', async () => {
    const envelope = { timestamp: '2026-01-01T00:00:00.000Z', data: { message_id: 'm-1', text: 'Hello' } };
    const event = { event: 'message.received', messageId: 'm-1', requestId: 'r-1' };
    const { id, channelId } = await putAside('delivery', { ...event, body: JSON.stringify(envelope) });
    await service.useCases.retryQuarantined(id);
    const told = { ...event, at: Date.UTC(2026, 0, 1), data: envelope.data, again: 7 };
    expect(service.router.asked).toEqual([{ channelId, ask: { type: 'tell-again', told } }]);
  });

  test('stays where its channel does not take it', async () => {
    const { id, channelId } = await putAside('facts', []);
    service.router.unreachable.set(channelId, new StoreUnavailable('away'));
    await expect(service.useCases.retryQuarantined(id)).rejects.toThrow('away');
    expect(await listed()).toHaveLength(1);
  });

  test('as a shape alone can not be tried again', async () => {
    service.parser.post = null;
    await expect(service.useCases.receiveUpstreamPost(new Uint8Array())).rejects.toMatchObject({
      status: 400,
    });
    const [item] = await listed();
    expect(await refusalOf(service.useCases.retryQuarantined(item?.id ?? ''))).toMatchObject({
      status: 400,
      detail: expect.stringContaining('Only the shape of this item is known'),
    });
  });

  test('is let go once', async () => {
    const { id } = await putAside('facts', []);
    await service.useCases.dropQuarantined(id);
    expect(await listed()).toEqual([]);
    const gone = { status: 404, detail: 'Quarantined item not found' };
    expect(await refusalOf(service.useCases.dropQuarantined(id))).toEqual(gone);
    expect(await refusalOf(service.useCases.retryQuarantined(id))).toEqual(gone);
  });
});
