/** [spec: Sending messages, SendTemplateRequest; Template status; Authentication 4] The owner and the state of the template that a send names. */
import { beforeAll, describe, expect, test } from '@jest/globals';
import type { Answer } from '../support/api.ts';
import { ledger, newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import type { Business } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { draft, templatesOf } from '../support/templates.ts';
import { until } from '../support/until.ts';
import { newAccount } from '../support/world.ts';
import type { Account, Channel } from '../support/world.ts';

const world = sharedWorld();
let account: Account;
/** Two numbers of one business account and one of another, all of one account. */
let business: Business;
let first: Channel;
let beside: Channel;
let elsewhere: Channel;
beforeAll(async () => {
  account = await newAccount(world.service);
  for (let more = 0; more < 2; more += 1)
    await world.service.admin('POST', `/accounts/${account.accountId}/subscriptions`, {
      tier: 'pro',
      source: 'enterprise',
    });
  business = await newBusiness(world.simulator, { phone_numbers: 3 });
  const [one, two] = business.phones;
  first = await world.connect(account, 'chatapp', { upstream: one?.id ?? '' });
  beside = await world.connect(account, 'chatapp', { upstream: two?.id ?? '' });
  const other = await newBusiness(world.simulator);
  elsewhere = await world.connect(account, 'chatapp', { upstream: other.phones[0]?.id ?? '' });
});

let made = 0;

async function approved(channel: Channel): Promise<{ id: string; name: string; meta_template_id: string }> {
  made += 1;
  const { create, read } = templatesOf(world.service, channel);
  const { status, body } = await create(draft(`whose_${made}`));
  expect(status).toBe(201);
  await reviewed(body.meta_template_id, 'APPROVED');
  await until('the approval', async () => (await read(body.id)).body.status === 'APPROVED');
  return body;
}

const reviewed = (metaId: string, event: string) => world.simulator.control(`templates/${metaId}`, { event });

function send(channel: Channel, template_name: string, recipient = newPerson('chatapp')): Promise<Answer> {
  const variables = { body: ['Mia', 'A-1007'] };
  const body = { channel_id: channel.id, recipient, template_name, language: 'en_US', variables };
  return world.service.call('POST', '/api/v1/messages/send-template', { key: channel.key, body });
}

describe('a template of another channel', () => {
  test('of the same business account is sent', async () => {
    const { name } = await approved(first);
    expect((await send(beside, name)).body).toMatchObject({ success: true, status: 'sent' });
  });

  test('of another business account is 404, and upstream is not called', async () => {
    const { id, name } = await approved(elsewhere);
    const recipient = newPerson('chatapp');
    const { status, body } = await send(first, name, recipient);
    expect([status, body]).toEqual([404, { detail: 'Template not found' }]);
    expect(await ledger(world.simulator, { recipient, outcome: 'all' })).toEqual([]);
    expect((await send(elsewhere, name)).body.status).toBe('sent');
    const { read, update, remove } = templatesOf(world.service, first);
    const components = [{ type: 'BODY', text: 'Mine now.' }];
    const answers = [await read(id), await update(id, { components }), await remove(id)];
    expect(answers.map((answer) => [answer.status, answer.body])).toEqual(
      answers.map(() => [404, { detail: 'Template not found' }]),
    );
  });

  test('of another account is sent neither through its channel nor through an own one', async () => {
    const { name } = await approved(first);
    const stranger = await world.connected('chatapp');
    const through = await send({ ...first, key: stranger.key }, name);
    expect([through.status, through.body]).toEqual([404, { detail: 'Channel not found' }]);
    const own = await send(stranger, name);
    expect([own.status, own.body]).toEqual([404, { detail: 'Template not found' }]);
  });

  test('an account with another number of that business account sends it as its own', async () => {
    const { name } = await approved(first);
    const partner = await world.connect(await newAccount(world.service), 'chatapp', {
      upstream: business.phones[2]?.id ?? '',
    });
    expect((await send(partner, name)).body).toMatchObject({ success: true, status: 'sent' });
  });

  test("a template is sent by its name: an id, ours or upstream's, is not found", async () => {
    const { id, meta_template_id: metaId } = await approved(first);
    for (const name of [id, metaId]) expect((await send(first, name)).status).toBe(404);
  });
});

describe('only APPROVED templates can be sent', () => {
  test.each(['REJECTED', 'PAUSED', 'DISABLED'])('%s: 400 that names it', async (event) => {
    const { id, name, meta_template_id: metaId } = await approved(first);
    await reviewed(metaId, event);
    const { read } = templatesOf(world.service, first);
    const status = await until('the news', async () => {
      const { body } = await read(id);
      return body.status === 'APPROVED' ? null : body.status;
    });
    const refused = await until('the send to know', async () => {
      const answer = await send(first, name);
      return answer.status === 200 ? null : answer;
    });
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining(status)]);
  });

  test('a template that is paused and approved again can be sent', async () => {
    const { id, name, meta_template_id: metaId } = await approved(first);
    const { read } = templatesOf(world.service, first);
    for (const event of ['PAUSED', 'APPROVED']) {
      await reviewed(metaId, event);
      await until(event, async () => (await read(id)).body.status === event);
    }
    const sent = await until('the send to know', async () => {
      const answer = await send(first, name);
      return answer.status === 200 ? answer : null;
    });
    expect(sent.body.status).toBe('sent');
  });

  test('a deleted template is 404 at once', async () => {
    const { id, name } = await approved(first);
    expect((await send(first, name)).status).toBe(200);
    expect((await templatesOf(world.service, first).remove(id)).status).toBe(200);
    const gone = await send(first, name);
    expect([gone.status, gone.body]).toEqual([404, { detail: 'Template not found' }]);
  });

  test('an edited template is in review: 400, and upstream is not called', async () => {
    const { id, name } = await approved(first);
    expect((await send(first, name)).status).toBe(200);
    const components = [{ type: 'BODY', text: 'Your order is ready.' }];
    expect((await templatesOf(world.service, first).update(id, { components })).status).toBe(200);
    const recipient = newPerson('chatapp');
    const refused = await send(first, name, recipient);
    expect([refused.status, refused.body.detail]).toEqual([400, expect.stringContaining('PENDING')]);
    expect(await ledger(world.simulator, { recipient, outcome: 'all' })).toEqual([]);
  });
});
