/** [operator-interface §4: a number whose registration is refused for now; upstream §2.4] */
import { expect, test } from '@jest/globals';
import { assetOf, codeIn, exchange, newBusiness, walkSetup } from '../support/setup.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { mailsOf, newPerson } from '../support/sends.ts';
import { newAccount } from '../support/world.ts';

const world = sharedWorld();

test.each([
  [
    'is not verified',
    { code_verification_status: 'NOT_VERIFIED' },
    /add and verify a number in WhatsApp Manager/,
  ],
  ["has its owner's PIN", { pin: '123456' }, /switch two-step verification off in WhatsApp Manager/],
  [
    'has a name that upstream still processes',
    { name_ready: false },
    /still processing the number's display name/,
  ],
])(
  'a number that %s is connected, and its health says why it is not registered',
  async (_, members, says) => {
    const { key, accountId } = await newAccount(world.service);
    const business = await newBusiness(world.simulator);
    const phone = assetOf(business, 'chatapp');
    await world.simulator.control('numbers', { phone_number_id: phone, registered: false, ...members });
    const code = codeIn(await walkSetup(world, key, 'chatapp', { assets: [phone] }));
    const { status, body } = await exchange(world.service, key, code);
    expect(status).toBe(200);
    const health = await world.service.call('GET', `/api/v1/channels/${body.channel_id}/health`, { key });
    expect(health.body.problems).toContainEqual({
      code: 'registration_pending',
      affects: ['send', 'receive'],
      detail: expect.stringMatching(says),
      since: expect.any(String),
      next_try_at: expect.any(String),
    });
    expect([health.body.can_send, health.body.upstream_subscription]).toEqual([false, true]);
    const send = { channel_id: body.channel_id, recipient: newPerson('chatapp'), text: 'hello' };
    const sent = await world.service.call('POST', '/api/v1/messages/send', { key, body: send });
    expect([sent.body.status, sent.body.error_code]).toEqual(['failed', 133010]);
    // The service registers it by itself: to connect it again would help nobody.
    expect((await mailsOf(world, accountId)).map(({ kind }) => kind)).not.toContain('reconnect');
  },
);
