/** The oracle's one exception: a send of which both copies were lost stays open until it fails. [faults: I2] */
import { expect, test } from '@jest/globals';
import { findUnconfirmed } from '../cluster-service/support/unconfirmed.ts';
import { connectAll } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { World } from '../support/world.ts';

test('a send whose two copies got no answer is unconfirmed, one that upstream refuses transiently is not', async () => {
  const world = await World.open({ SEND_QUEUED_AFTER_MS: '500', SEND_RESEND_AFTER_MS: '1000' });
  try {
    const { chatapp, pagechat } = (await connectAll(world)).channels;
    const lost = { match: { kind: 'chatapp' }, times: 2, act: 'reset' };
    const refused = { match: { kind: 'pagechat' }, times: 100, act: 'refuse', code: 613 };
    for (const fault of [lost, refused]) await world.simulator.control('faults', fault);

    const { body } = await world.send(chatapp, 'both copies are lost');
    const { body: later } = await world.send(pagechat, 'it is told to wait');
    expect([body.status, later.status]).toEqual(['queued', 'queued']);

    const found = await until('both copies to be lost', async () => {
      const ids = await findUnconfirmed(world, [chatapp, pagechat]);
      return ids.size > 0 && ids;
    });
    expect([...found]).toEqual([body.message_id]);
  } finally {
    await world.close();
  }
});

test('so is a send that upstream had refused transiently before its two copies got no answer', async () => {
  const world = await World.open({ SEND_QUEUED_AFTER_MS: '500', SEND_RESEND_AFTER_MS: '1000' });
  try {
    const { pagechat } = (await connectAll(world)).channels;
    const match = { kind: 'pagechat' };
    await world.simulator.control('faults', { match, times: 1, act: 'refuse', code: 613 });
    await world.simulator.control('faults', { match, times: 2, act: 'reset' });
    const { body } = await world.send(pagechat, 'it is told to wait, then it is lost');
    const found = await until('both copies to be lost', async () => {
      const ids = await findUnconfirmed(world, [pagechat]);
      return ids.size > 0 && ids;
    });
    expect([...found]).toEqual([body.message_id]);
  } finally {
    await world.close();
  }
});
