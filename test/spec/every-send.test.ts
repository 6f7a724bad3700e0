/**
 * [spec: Message send state, Send error codes] Every row of the send-state table and of the error table, for every content on
 * the channel types that have them. Where a row ends by a duration, the service has a short one; in the others a machine may stand still.
 */
import { beforeAll, describe, expect, test } from '@jest/globals';
import { codeTable } from '../../src/rules/messages/error-table.ts';
import type { CodeRow } from '../../src/rules/messages/error-table.ts';
import { confirmation, everySend, sendAny } from '../support/every-send.ts';
import type { ContentName } from '../support/every-send.ts';
import { connectAll, faultFor, ledger, mailsOf, newPerson, taken } from '../support/sends.ts';
import type { Channels } from '../support/sends.ts';
import { sharedWorld } from '../support/shared-world.ts';
import { until } from '../support/until.ts';
import type { Account, ChannelType, World } from '../support/world.ts';

const patient = sharedWorld();
const soonQueued = sharedWorld({ SEND_QUEUED_AFTER_MS: '1000' });
const soonResent = sharedWorld({
  SEND_QUEUED_AFTER_MS: '1000',
  SEND_RESEND_AFTER_MS: '3000',
  SEND_GIVE_UP_AFTER_MS: '8000',
});
const connected = new Map<World, { account: Account; channels: Channels }>();
beforeAll(async () => {
  for (const world of [patient, soonQueued, soonResent]) connected.set(world, await connectAll(world));
});

interface Sent {
  world: World;
  type: ChannelType;
  content: ContentName;
  recipient: string;
  status: number;
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

function connectedTo(world: World): { account: Account; channels: Channels } {
  const found = connected.get(world);
  if (found === undefined) throw new Error('the world has no channels');
  return found;
}

/** Sends one of each content that meets this fault, concurrently. */
function each(
  world: World,
  fault: Record<string, unknown>,
  of: typeof everySend = everySend,
): Promise<Sent[]> {
  const { service, simulator } = world;
  return Promise.all(
    of.map(async ([type, content]) => {
      const recipient = newPerson(type);
      await faultFor(simulator, recipient, fault);
      const channel = connectedTo(world).channels[type];
      const answer = await taken(() => sendAny(service, simulator, channel, content, recipient));
      return { world, type, content, recipient, status: answer.status, body: answer.body };
    }),
  );
}

const answersOf = (sends: readonly Sent[]) => sends.map(({ status, body }) => [status, body.status]);
const all = (status: string, of: readonly unknown[] = everySend) => of.map(() => [200, status]);
const callsOf = async ({ world, recipient }: Sent) =>
  (await ledger(world.simulator, { recipient, outcome: 'all' })).map(({ outcome }) => outcome);
const confirmed = (sends: readonly Sent[]) =>
  Promise.all(sends.map(({ world, type, body }) => world.inbox.event(confirmation[type], body.message_id)));

async function expectCalls(sends: readonly Sent[], calls: readonly string[]): Promise<void> {
  const made = await Promise.all(sends.map(async (send) => [send.type, send.content, await callsOf(send)]));
  expect(made).toEqual(sends.map(({ type, content }) => [type, content, calls]));
}

describe('the send-state table', () => {
  test('upstream accepts → sent; its status events follow', async () => {
    const sends = await each(patient, { act: 'ok' });
    expect(answersOf(sends)).toEqual(all('sent'));
    await confirmed(sends);
    await expectCalls(sends, ['accepted']);
  });

  test('transient upstream failure → queued → sent: one copy', async () => {
    const sends = await each(patient, { act: 'refuse', code: 2, status: 400 });
    expect(answersOf(sends)).toEqual(all('queued'));
    await confirmed(sends);
    await expectCalls(sends, ['refused', 'accepted']);
  });

  test('upstream is slow → queued → sent: one copy', async () => {
    const sends = await each(soonQueued, { act: 'ok', delay_ms: 1_500 });
    expect(answersOf(sends)).toEqual(all('queued'));
    await confirmed(sends);
    await expectCalls(sends, ['accepted']);
  });

  test('the answer is lost, a status confirms the send → queued → sent: one copy', async () => {
    const sends = await each(soonQueued, { act: 'lost' });
    expect(answersOf(sends)).toEqual(all('queued'));
    await confirmed(sends);
    await expectCalls(sends, ['accepted']);
  });

  test('permanent upstream error → failed', async () => {
    const sends = await each(patient, { act: 'refuse', code: 368 });
    expect(answersOf(sends)).toEqual(all('failed'));
    await expectCalls(sends, ['refused']);
  });

  test('upstream has not confirmed → resent once → sent: two copies', async () => {
    const sends = await each(soonResent, { act: 'lost', silent: true });
    expect(answersOf(sends)).toEqual(all('queued'));
    await confirmed(sends);
    await expectCalls(sends, ['accepted', 'accepted']);
  });

  test('cannot be confirmed → failed after two copies, and a delivery digest', async () => {
    const sends = await each(soonResent, { act: 'lost', silent: true, times: 0 });
    expect(answersOf(sends)).toEqual(all('queued'));
    await until('a digest of each', async () => {
      const mails = await mailsOf(soonResent, connectedTo(soonResent).account.accountId);
      const lines = mails.filter(({ kind }) => kind === 'delivery-digest').flatMap((mail) => mail.lines);
      return sends.every(({ body }) => lines.some((line) => line.includes(body.message_id)));
    });
    await expectCalls(sends, ['accepted', 'accepted']);
  });
});

/** Some codes are reported to some channel types only. */
const onlyPages = new Set([551]);
const knows = (type: ChannelType, { code, subcode = 0 }: CodeRow): boolean => {
  const isOfChatapp = code > 130_000 && code < 140_000;
  if (isOfChatapp) return type === 'chatapp';
  return type !== 'chatapp' || !(onlyPages.has(code) || subcode > 1_000_000);
};
const sendsThatKnow = (row: CodeRow) => everySend.filter(([type]) => knows(type, row));
const faultOf = ({ code, subcode }: CodeRow) => ({
  act: 'refuse',
  code,
  ...(subcode === undefined ? {} : { subcode }),
  status: 400,
});
const named = (row: CodeRow) => `${row.code}${row.subcode === undefined ? '' : `/${row.subcode}`}`;

describe('the error table', () => {
  const rows = codeTable.map((row): [string, CodeRow] => [named(row), row]);

  test.each(rows.filter(([, row]) => row.class === 'permanent'))(
    '%s: failed with the code unchanged and a sentence, never retried',
    async (_name, row) => {
      const of = sendsThatKnow(row);
      const sends = await each(patient, faultOf(row), of);
      expect(answersOf(sends)).toEqual(all('failed', of));
      for (const { body } of sends) {
        expect(body).toMatchObject({ success: false, error_code: row.code });
        expect(body.error).toContain(row.sentence);
      }
      await expectCalls(sends, ['refused']);
    },
  );

  test('transient codes: queued, retried, sent: one copy', async () => {
    const passing = rows
      .map(([, row]) => row)
      .filter((row) => row.class === 'transient' && (row.pause ?? 'none') !== 'channel');
    const made = await Promise.all(
      passing.map(async (row) => ({ row, sends: await each(patient, faultOf(row), sendsThatKnow(row)) })),
    );
    const sends = made.flatMap((one) => one.sends);
    expect(answersOf(sends)).toEqual(all('queued', sends));
    await confirmed(sends);
    await expectCalls(sends, ['refused', 'accepted']);
  });

  test('codes after which the message may have been sent: queued, and never reported as failed', async () => {
    const ambiguous = rows.map(([, row]) => row).filter((row) => row.class === 'ambiguous');
    for (const row of ambiguous) {
      const of = sendsThatKnow(row);
      const sends = await each(patient, { ...faultOf(row), act: 'error_after_accept' }, of);
      expect(answersOf(sends)).toEqual(all('queued', of));
      await confirmed(sends);
    }
  });
});
