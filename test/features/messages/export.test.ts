/** [faults: 416, 417] Messages and deliveries as CSV: with the filter of the page, of this account, as a spreadsheet shows them. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import type { Channel } from '../../../src/rules/channels/channel.ts';
import { hourMs, toIso } from '../../../src/kernel/clock.ts';
import { newId } from '../../../src/kernel/ids.ts';
import { connect, openHouse } from '../../http/house.ts';
import type { House } from '../../http/house.ts';
import { asOwner, caller, now } from '../../http/support.ts';
import type { Running } from '../../http/support.ts';
import { aDelivery, aMessage } from '../../stores/conformance/samples.ts';

const { accountId } = caller;
const ids = { message: newId(), early: newId(), delivery: newId(), of: newId(), request: newId() };
let house: House;
let running: Running;
let channel: Channel;

beforeAll(async () => {
  house = await openHouse();
  running = await house.run();
  channel = await connect(house, 'chatapp');
  const { id: channelId } = channel;
  const put = (over: Parameters<typeof aMessage>[1], on = channelId) =>
    house.channelState.commit(on, 1, [{ write: 'insertMessage', message: aMessage(on, over) }]);
  await put({ accountId, id: ids.message, recipient: '=1+1', state: 'queued', createdAt: now });
  await put({ accountId, id: ids.early, recipient: '4915', state: 'queued', createdAt: now - 2 * hourMs });
  await put({ recipient: '4916', createdAt: now }, newId());
  const over = { accountId, id: ids.delivery, messageId: ids.of, requestId: ids.request, createdAt: now };
  const delivery = aDelivery(channelId, over);
  await house.channelState.commit(channelId, 1, [{ write: 'insertDelivery', delivery }]);
});
afterAll(async () => {
  await running.stop();
  await house.close();
});

const exported = (path: string) => running.ask(path, { headers: asOwner });
/** As a person in UTC types it. */
const typed = (at: number): string => toIso(at).slice(0, 16);

test('messages have no text, and a text that begins like a formula is marked', async () => {
  const { status, headers, text } = await exported('/portal/messages/export');
  expect([status, headers.get('content-type'), headers.get('content-disposition')]).toEqual([
    200,
    'text/csv; charset=utf-8',
    'attachment; filename="messages.csv"',
  ]);
  const at = toIso(now);
  expect(text.split('\n')).toEqual([
    'time,person,direction,kind,status,channel_type,channel_id,message_id',
    `${at},'=1+1,outbound,text,queued,chatapp,${channel.id},${ids.message}`,
    `${toIso(now - 2 * hourMs)},4915,outbound,text,queued,chatapp,${channel.id},${ids.early}`,
    '',
  ]);
});

test('deliveries have their ids and states, not what they contained', async () => {
  const { text } = await exported('/portal/deliveries/export');
  expect(text.split('\n')).toEqual([
    'time,event,person,state,attempts,last_result,channel_id,message_id,webhook_id,request_id,endpoint_id',
    `${toIso(now)},message.delivered,491701234567,pending,0,,${channel.id},${ids.of},${ids.delivery},${ids.request},`,
    '',
  ]);
});

test('the filter of the page is that of its export, and its link has it', async () => {
  const query = `state=queued&to=${encodeURIComponent(typed(now - hourMs))}`;
  const { text } = await exported(`/portal/messages?${query}`);
  const link = `/portal/messages/export?${query}`;
  expect(text.replaceAll('&amp;', '&')).toContain(`href="${link}"`);
  const lines = (await exported(link)).text.trim().split('\n');
  expect(lines.slice(1).map((line) => line.split(',').at(-1))).toEqual([ids.early]);
  const none = await exported(`/portal/deliveries/export?from=${encodeURIComponent(typed(now + hourMs))}`);
  expect(none.text.trim().split('\n')).toHaveLength(1);
});

test('a channel that is not one refuses the export', async () => {
  expect((await exported('/portal/messages/export?channel=nobody')).status).toBe(422);
  expect((await exported(`/portal/deliveries/export?channel=${newId()}`)).status).toBe(404);
  expect((await running.ask('/portal/messages/export')).status).toBe(302);
});

test('who takes a list is in the audit log, with the names of its filters; a look at the head is not', async () => {
  const lists = ['messages', 'deliveries', 'audit'];
  await exported('/portal/messages/export?person=4915&state=queued&nonsense=1');
  await exported('/portal/deliveries/export');
  await exported('/portal/audit/export?action=key.created');
  await running.ask('/portal/messages/export', { method: 'HEAD', headers: asOwner });
  await exported('/portal/messages/export?channel=nothing');
  const { items } = await house.stores.audit.list({ accountId }, { limit: 100, cursor: null });
  const taken = items.filter(({ action }) => action === 'list.exported').toReversed();
  expect(taken.map(({ after }) => after?.['list']).filter((list) => lists.includes(String(list)))).toEqual(
    expect.arrayContaining(lists),
  );
  expect(taken.slice(-3).map(({ after, actor, actorName }) => [after, actor, actorName])).toEqual([
    [{ list: 'messages', filters: 'person state' }, 'person', 'owner@example.com'],
    [{ list: 'deliveries', filters: '' }, 'person', 'owner@example.com'],
    [{ list: 'audit', filters: 'action' }, 'person', 'owner@example.com'],
  ]);
});
