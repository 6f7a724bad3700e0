/** [faults: 1-5, I1-I3; spec: Message send state] kill -9 in each state of a send, for every send on the channel types that have it. */
import { afterAll, beforeAll, expect, jest, test } from '@jest/globals';
import { KillableService } from '../support/crash.ts';
import { confirmation, everySend, sendAny } from '../support/every-send.ts';
import type { ContentName } from '../support/every-send.ts';
import { channelTypes, connectAll, ledger, newPerson } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import type { ChannelType } from '../support/world.ts';

jest.setTimeout(120_000);

let killable: KillableService;
let channels: Channels;
beforeAll(async () => {
  killable = await KillableService.open({
    SEND_QUEUED_AFTER_MS: '1000',
    // Longer than a restart on a busy machine: a send that is confirmed after the restart must not be resent before.
    SEND_RESEND_AFTER_MS: '15000',
    SEND_GIVE_UP_AFTER_MS: '60000',
  });
  ({ channels } = await connectAll(killable.world));
});
afterAll(() => killable.close());

interface Case {
  type: ChannelType;
  content: ContentName;
  recipient: string;
}

async function cases(fault: Record<string, unknown>): Promise<Case[]> {
  const made = everySend.map(([type, content]) => ({ type, content, recipient: newPerson(type) }));
  for (const { recipient } of made)
    await killable.simulator.control('faults', { match: { recipient }, ...fault });
  return made;
}

const send = ({ type, content, recipient }: Case) =>
  sendAny(killable.process, killable.simulator, channels[type], content, recipient);

const copiesOf = (made: readonly Case[]) =>
  Promise.all(made.map(async ({ recipient }) => (await ledger(killable.simulator, { recipient })).length));

async function restart(): Promise<void> {
  await killable.kill();
  await killable.restart();
}

async function settled(): Promise<void> {
  for (const type of channelTypes) await killable.settled(channels[type]);
}

test('kill -9 during the call to upstream: one copy if a status confirms it, resent once if none does', async () => {
  const told = await cases({ act: 'hang', times: 1 });
  const silent = await cases({ act: 'hang', times: 1, silent: true });
  await killable.simulator.control('webhooks/hold', {});
  const sends = [...told, ...silent].map((one) => send(one).catch(() => null));
  for (const { recipient } of [...told, ...silent])
    expect(await ledger(killable.simulator, { recipient, wait_ms: 10_000 })).toHaveLength(1);
  await restart();
  await Promise.all(sends);
  await killable.simulator.control('webhooks/flush', {});
  await settled();
  expect(await copiesOf(told)).toEqual(told.map(() => 1));
  expect(await copiesOf(silent)).toEqual(silent.map(() => 2));
});

test('kill -9 while queued after a transient refusal: sent once, under the message_id that was answered', async () => {
  const made = await cases({ act: 'refuse', code: 2, status: 400, times: 1 });
  const answers = await Promise.all(made.map(send));
  expect(answers.map(({ body }) => body.status)).toEqual(made.map(() => 'queued'));
  await restart();
  for (const [index, { type }] of made.entries())
    await killable.inbox.event(confirmation[type], answers[index]?.body.message_id);
  await settled();
  expect(await copiesOf(made)).toEqual(made.map(() => 1));
});

test('kill -9 after the answer sent: nothing is sent again', async () => {
  const made = await cases({ act: 'ok', delay_ms: 10 });
  const answers = await Promise.all(made.map(send));
  await restart();
  expect(answers.map(({ body }) => body.status)).toEqual(made.map(() => 'sent'));
  for (const [index, { type }] of made.entries())
    await killable.inbox.event(confirmation[type], answers[index]?.body.message_id);
  await settled();
  expect(await copiesOf(made)).toEqual(made.map(() => 1));
});
