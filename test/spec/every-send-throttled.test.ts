/** [spec: Send error codes; upstream §3.7] The rows of the error table that pause a channel, for texts, files and templates. */
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { codeTable } from '../../src/domain/messages/error-table.ts';
import type { CodeRow } from '../../src/domain/messages/error-table.ts';
import { confirmation, everySend, sendAny } from '../support/every-send.ts';
import { faultFor, ledger, newPerson } from '../support/sends.ts';
import { newBusiness } from '../support/setup.ts';
import { newAccount, World } from '../support/world.ts';
import type { Channel, ChannelType } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await World.open();
});
afterAll(() => world.close());

interface Sent {
  type: ChannelType;
  recipient: string;
  status: string;
  messageId: string;
}

/** Everything that the channel's kind can send, side by side. */
function each(own: Channel, fault: Record<string, unknown>): Promise<Sent[]> {
  return Promise.all(
    everySend
      .filter(([type]) => type === own.type)
      .map(async ([type, content]) => {
        const recipient = newPerson(type);
        await faultFor(world.simulator, recipient, fault);
        const { body } = await sendAny(world.service, world.simulator, own, content, recipient);
        return { type, recipient, status: body.status, messageId: body.message_id };
      }),
  );
}

async function ownChannel(type: ChannelType): Promise<Channel> {
  const { phones, pages } = await newBusiness(world.simulator);
  const [page] = pages;
  const ids = { chatapp: phones[0]?.id, pagechat: page?.id, photoapp: page?.photoapp_account_id };
  return world.connect(await newAccount(world.service), type, { upstream: ids[type] ?? '' });
}

const ofPages = new Set([32, 613, 80_001, 80_006]);
function kindOfThrottle({ code }: CodeRow): ChannelType {
  if (code === 80_002) return 'photoapp';
  return ofPages.has(code) ? 'pagechat' : 'chatapp';
}

const callsTo = async ({ recipient }: Sent) =>
  (await ledger(world.simulator, { recipient, outcome: 'all' })).map(({ outcome }) => outcome);

const throttles = codeTable.filter(({ pause }) => pause === 'channel');

test(`codes ${throttles.map(({ code }) => code).join(', ')}: queued, sent when the pause is over, one copy; and so is what comes meanwhile`, async () => {
  const owns: [CodeRow, Channel][] = [];
  for (const row of throttles) owns.push([row, await ownChannel(kindOfThrottle(row))]); // one dialog at a time
  const ended = owns.map(async ([row, own]) => {
    const first = await each(own, { act: 'refuse', code: row.code, status: 400 });
    const meanwhile = await each(own, { act: 'ok' });
    const all = [...first, ...meanwhile];
    await Promise.all(all.map(({ type, messageId }) => world.inbox.event(confirmation[type], messageId)));
    const statuses = all.map(({ status }) => status);
    return {
      code: row.code,
      statuses: new Set(statuses),
      first: await Promise.all(first.map(callsTo)),
      meanwhile: await Promise.all(meanwhile.map(callsTo)),
    };
  });
  for (const { code, statuses, first, meanwhile } of await Promise.all(ended)) {
    expect([code, ...statuses]).toEqual([code, 'queued']);
    expect([code, first]).toEqual([code, first.map(() => ['refused', 'accepted'])]);
    expect([code, meanwhile]).toEqual([code, meanwhile.map(() => ['accepted'])]);
  }
});
