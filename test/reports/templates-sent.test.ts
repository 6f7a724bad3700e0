/**
 * Templates that users of comparable services could not send. netflie/whatsapp-cloud-api #231: one whose header has a fixed text was refused,
 * because a header was sent for it. chatwoot/chatwoot #15548: an authentication template to somebody without a visible number. [upstream §3.2; operator-interface §4]
 */
import { beforeAll, expect, test } from '@jest/globals';
import { newPerson } from '../support/sends.ts';
import { ownChannel } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { draft, templatesOf } from '../support/templates.ts';
import type { Channel } from '../support/world.ts';

const world = sharedWorld();
let channel: Channel;
beforeAll(async () => {
  channel = await ownChannel(world);
});

let count = 0;

/** A new approved template; returns its name. */
async function approved(more: Record<string, unknown>): Promise<string> {
  const name = `fresh_eyes_${(count += 1)}`;
  const templates = templatesOf(world.service, channel);
  const { body } = await templates.create(draft(name, more));
  await world.simulator.control(`templates/${body.meta_template_id}`, { event: 'APPROVED' });
  await templates.list();
  return name;
}

function send(name: string, recipient: string, variables: unknown) {
  const body = { channel_id: channel.id, recipient, template_name: name, language: 'en_US', variables };
  return world.service.call('POST', '/api/v1/messages/send-template', { key: channel.key, body });
}

test('a header with a fixed text is not sent', async () => {
  const header = { type: 'HEADER', format: 'TEXT', text: 'Your order is being prepared' };
  const text = 'Dear {{1}}, order {{2}} is ready.';
  const body = { type: 'BODY', text, example: { body_text: [['Mia', 'A-1007']] } };
  const name = await approved({ components: [header, body] });
  const to = newPerson('chatapp');
  expect((await send(name, to, { body: ['Mia', 'A-1007'] })).body).toMatchObject({ status: 'sent' });
});

test('a one-time code goes to a number, and is refused for a business-scoped id before upstream is called', async () => {
  const components = [
    { type: 'BODY' },
    { type: 'BUTTONS', buttons: [{ type: 'OTP', otp_type: 'COPY_CODE' }] },
  ];
  const name = await approved({ category: 'AUTHENTICATION', components });
  const code = { body: ['123456'] };
  expect((await send(name, newPerson('chatapp'), code)).body).toMatchObject({ status: 'sent' });
  const { status, body } = await send(name, 'DE.20260000000000000042', code);
  expect([status, body.detail]).toEqual([
    400,
    {
      code: 'invalid_recipient',
      message: 'recipient is not valid: needs_phone_number',
      reason: 'needs_phone_number',
      hint: 'Send an authentication template to the phone number.',
    },
  ]);
});

test('any other template goes to a business-scoped id', async () => {
  const name = await approved({});
  const id = 'DE.20260000000000000444';
  await world.simulator.control('people', {
    channel: channel.upstream,
    id: newPerson('chatapp'),
    user_id: id,
  });
  const { status, body } = await send(name, id, { body: ['Mia', 'A-1007'] });
  expect([status, body.status]).toEqual([200, 'sent']);
});
