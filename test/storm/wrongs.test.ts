/** Two copies of one send that reached upstream close together: the oracle looks for two claims in the record. [faults: I2] */
import { beforeAll, expect, test } from '@jest/globals';
import { findWrongs } from '../cluster-service/support/wrongs.ts';
import { connectAll, faultFor, ledger, newPerson } from '../support/sends.ts';
import { until } from '../support/until.ts';
import { sharedWorld } from '../support/shared-world.ts';
import type { Channel } from '../support/world.ts';

const resendAfterMs = 1_000;
const world = sharedWorld({ SEND_QUEUED_AFTER_MS: '500', SEND_RESEND_AFTER_MS: String(resendAfterMs) });
let channel: Channel;
beforeAll(async () => {
  channel = (await connectAll(world)).channels.pagechat;
});

/** The findings for a send with one accepted copy, as if another had come this much earlier. */
async function wrongWithAnother(recipient: string, msBefore: number): Promise<string[]> {
  const { body } = await world.send(channel, 'hello', recipient);
  const copy = await until('a copy', async () => (await ledger(world.simulator, { recipient }))[0] ?? false);
  const told = { code: 200, why: null, messageId: body.message_id, startedAt: 0, endedAt: 0 };
  const send = { channel, recipient, status: body.status, ...told };
  return findWrongs(world, send, [{ ...copy, at: copy.at - msBefore }, copy], resendAfterMs);
}

test('there are two claims if the first call got no answer', async () => {
  const recipient = newPerson('pagechat');
  await faultFor(world.simulator, recipient, { act: 'reset' });
  expect(await wrongWithAnother(recipient, 1)).toEqual([]);
});

test('there is one claim if the first call was answered: another owner has called', async () => {
  const recipient = newPerson('pagechat');
  expect(await wrongWithAnother(recipient, 1)).toEqual([
    `${recipient} (sent) got its copies 1 ms apart: two claimers`,
  ]);
});

test('a refused call is no claim of a copy', async () => {
  const recipient = newPerson('pagechat');
  await faultFor(world.simulator, recipient, { act: 'refuse', code: 613 });
  expect(await wrongWithAnother(recipient, 1)).toEqual([
    `${recipient} (queued) got its copies 1 ms apart: two claimers`,
  ]);
});

test('if the copies are far enough apart, the record is not read', async () => {
  expect(await wrongWithAnother(newPerson('pagechat'), resendAfterMs)).toEqual([]);
});
