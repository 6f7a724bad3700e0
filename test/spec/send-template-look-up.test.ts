/** [operator-interface §4: `send-template` while the template is not known here] The send's outcome is upstream's answer to the look-up. */
import { afterEach, beforeEach, expect, jest, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { call } from '../support/api.ts';
import { KillableService } from '../support/crash.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { templatesOf } from '../support/templates.ts';
import { until } from '../support/until.ts';
import type { Channel } from '../support/world.ts';

jest.setTimeout(60_000);

let killable: KillableService;
beforeEach(async () => {
  killable = await KillableService.open({});
});
afterEach(() => killable.close());

/** A channel that is connected while upstream answers its lists of templates in this way. */
async function connectedWhile(fault: Record<string, unknown>): Promise<Channel> {
  const match = { path: 'message_templates', method: 'GET' };
  await killable.simulator.control('faults', { match, times: 0, ...fault });
  return killable.world.connected('chatapp');
}

function send(channel: Channel, recipient: string, template: Record<string, unknown> = {}): Promise<Answer> {
  const body = {
    channel_id: channel.id,
    recipient,
    template_name: 'hello_world',
    language: 'en_US',
    ...template,
  };
  return killable.world.service.call('POST', '/api/v1/messages/send-template', { key: channel.key, body });
}

const healed = () => call('DELETE', `${killable.simulator.url}/control/faults`);
const sentTo = (recipient: string) => ledger(killable.simulator, { recipient });

test('the templates of a number are read when it is connected', async () => {
  const channel = await killable.world.connected('chatapp');
  const { list } = templatesOf(killable.world.service, channel);
  await until('the templates', async () => (await list('?sync=false')).body.total > 0);
});

test('a look-up that is refused permanently: 200 failed with its code', async () => {
  const channel = await connectedWhile({ act: 'refuse', code: 190 });
  const recipient = newPerson('chatapp');
  const { status, body } = await send(channel, recipient);
  expect([status, body]).toEqual([
    200,
    {
      success: false,
      message_id: expect.any(String),
      status: 'failed',
      error: expect.stringContaining('reconnect the channel'),
      error_code: 190,
    },
  ]);
  expect(await sentTo(recipient)).toEqual([]);
});

test.each([
  ['out of order', { act: 'refuse', code: 2 }],
  ['limited', { act: 'refuse', code: 80_008, status: 429 }],
  ['cut off', { act: 'lost' }],
])('%s: 200 queued, and sent once the look-up succeeds', async (_, fault) => {
  const channel = await connectedWhile(fault);
  const recipient = newPerson('chatapp');
  const { status, body } = await send(channel, recipient);
  expect([status, body.success, body.status]).toEqual([200, true, 'queued']);
  await healed();
  await until('the template', async () => (await sentTo(recipient)).length === 1);
  const told = await killable.inbox.event('message.sent', body.message_id);
  expect(told.event.data['recipient']).toBe(recipient);
});

test('a send that waits for its look-up survives a crash', async () => {
  const channel = await connectedWhile({ act: 'refuse', code: 2 });
  const recipient = newPerson('chatapp');
  const { body } = await send(channel, recipient);
  expect(body.status).toBe('queued');
  await killable.kill();
  await healed();
  await killable.restart();
  await until('the template', async () => (await sentTo(recipient)).length === 1);
});

test('a template that the look-up shows to be unsendable: failed', async () => {
  const channel = await connectedWhile({ act: 'refuse', code: 2 });
  const recipient = newPerson('chatapp');
  const { body } = await send(channel, recipient, { template_name: 'nobody_made_this' });
  expect(body.status).toBe('queued');
  await healed();
  const told = await killable.inbox.event('message.failed', body.message_id);
  expect(told.event.data).toMatchObject({ error: 'Template not found', errors: [] });
});
