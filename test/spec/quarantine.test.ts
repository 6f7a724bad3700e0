/** [faults: 46; upstream §0.2] A webhook that the service does not understand is answered 200, affects nothing else, and is listed for operators. */
import { beforeAll, expect, test } from '@jest/globals';
import { allEventsAbout, phonePost, phoneText, postAsUpstream, threadPost } from '../support/events.ts';
import { connectAll, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Account } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
let channels: Channels;
beforeAll(async () => {
  ({ account, channels } = await connectAll(world));
});

interface Entry {
  reason: string;
  channel_id: string | null;
  account_id: string | null;
  kind: string;
  shape: string;
  times: number;
}

async function quarantined(kind: string): Promise<Entry[]> {
  const { status, body, text } = await world.service.admin('GET', '/quarantine');
  if (status !== 200) throw new Error(`quarantine answered ${status}: ${text}`);
  return body.items.filter((entry: Entry) => entry.kind === kind);
}

test('a malformed item between valid ones: those are delivered, and it is listed with its channel and without its content', async () => {
  const from = newPerson('chatapp');
  const bad = { from, type: 'text', text: { body: 'rosebud' } };
  const messages = [phoneText('wamid.q1', 'one', from), bad, phoneText('wamid.q2', 'two', from)];
  expect(await postAsUpstream(world, phonePost(channels.chatapp.upstream, { messages }))).toBe(200);
  expect(await postAsUpstream(world, phonePost(channels.chatapp.upstream, { messages: [bad] }))).toBe(200);
  const told = await allEventsAbout(world, channels.chatapp, from, 2);
  expect(told.map(({ data }) => data['text'])).toEqual(['one', 'two']);
  expect(await quarantined('messages')).toEqual([
    {
      id: expect.any(String),
      reason: 'malformed',
      channel_type: 'chatapp',
      channel_id: channels.chatapp.id,
      account_id: account.accountId,
      identity: channels.chatapp.upstream,
      kind: 'messages',
      shape: '{from: string, type: "text", text: {body: string}}',
      times: 2,
      first_seen_at: expect.any(String),
      last_seen_at: expect.any(String),
      can_be_retried: false,
    },
  ]);
});

test('a message type that upstream may add later is listed as unknown', async () => {
  const hologram = { sender: { id: newPerson('pagechat') }, hologram: { secret: 'rosebud' } };
  expect(await postAsUpstream(world, threadPost('page', channels.pagechat.upstream, [hologram]))).toBe(200);
  expect(await postAsUpstream(world, { object: 'hologram', entry: [{ id: '1' }] })).toBe(200);
  const [item] = await quarantined('messaging');
  expect(item).toMatchObject({
    reason: 'unknown',
    channel_id: channels.pagechat.id,
    shape: '{sender: {id: string}, hologram: {secret: string}}',
  });
  expect(await quarantined('hologram')).toEqual([expect.objectContaining({ channel_id: null, times: 1 })]);
});

test('a signed POST that is not JSON is listed as unreadable; an unsigned one is not listed', async () => {
  expect(await postAsUpstream(world, '{"object": rosebud')).toBe(200);
  expect(await postAsUpstream(world, '{"object": rosebud', 'wrong')).toBe(401);
  expect(await quarantined('post')).toEqual([
    expect.objectContaining({ reason: 'unreadable', shape: 'Webhook body is no JSON', times: 1 }),
  ]);
});

test('the list has no message content, and comes in pages', async () => {
  const { text } = await world.service.admin('GET', '/quarantine');
  expect(text).not.toContain('rosebud');
  const page = await world.service.admin('GET', '/quarantine?limit=1');
  expect([page.body.items.length, typeof page.body.next_cursor]).toEqual([1, 'string']);
});

test('an item is dropped once; one of which only the shape is stored cannot be retried', async () => {
  expect(await postAsUpstream(world, { object: 'kaleidoscope', entry: [{ id: '1' }] })).toBe(200);
  const { body } = await world.service.admin('GET', '/quarantine?limit=1');
  const [{ id }] = body.items;
  const retried = await world.service.admin('POST', `/quarantine/${id}/retry`);
  expect([retried.status, retried.body.detail]).toEqual([400, expect.stringContaining('shape')]);
  expect((await world.service.admin('DELETE', `/quarantine/${id}`)).body).toEqual({ success: true });
  expect((await world.service.admin('DELETE', `/quarantine/${id}`)).status).toBe(404);
  expect((await world.service.admin('POST', `/quarantine/${id}/retry`)).status).toBe(404);
});
