/**
 * The shapes that public clients have recorded in their fixtures, through parser and actor: which events they make. Each row of `shapes/` was
 * written anew from the shape of the fixture that it names; ids, names and texts are invented. [upstream §4]
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from '@jest/globals';
import type { ChannelFact } from '../../src/rules/messages/facts.ts';
import { stringOrNull } from '../../src/kernel/json.ts';
import type { ChannelType } from '../../src/rules/vocabulary.ts';
import { LiveChannel } from '../actors/support/live-channel.ts';
import { chatappProfile } from '../support/profiles.ts';
import { leftOutOf, parse } from '../upstream/support.ts';

type Told = [event: string, type: string, text: string | null];

interface Row {
  source: string;
  name: string;
  type?: ChannelType;
  field?: string;
  list?: string;
  section?: string;
  item: Record<string, unknown>;
  told: Told[];
  /** The item is understood and makes no fact. */
  counted?: boolean;
  malformed?: boolean;
  /** Its kind is unknown: counted, and its shape is kept for operators. */
  unknown?: boolean;
}

const rowsOf = (file: string): Row[] =>
  JSON.parse(readFileSync(join(import.meta.dirname, 'shapes', `${file}.json`), 'utf8'));

const person = { chatapp: '4915900000777', pagechat: '8800000000000001', photoapp: '9900000000000007' };
const own = { chatapp: '422300000000002', pagechat: '520000000000005', photoapp: '17840000000000006' };
const at = 1_767_225_600_000;

function chatappPost({ field = 'messages', list = 'messages', item }: Row): unknown {
  const common = { id: 'wamid.SHAPE', timestamp: '1767225600' };
  const parties = list === 'messages' ? { from: person.chatapp } : {};
  const metadata = { display_phone_number: '15550100042', phone_number_id: own.chatapp };
  const contacts = [{ wa_id: person.chatapp, profile: { name: 'Mia Vogel' } }];
  const value = {
    messaging_product: 'whatsapp',
    metadata,
    contacts,
    [list]: [{ ...common, ...parties, ...item }],
  };
  return {
    object: 'whatsapp_business_account',
    entry: [{ id: '311200000000001', changes: [{ field, value }] }],
  };
}

function threadPost({ type = 'pagechat', section = 'messaging', item }: Row): unknown {
  const object = type === 'pagechat' ? 'page' : 'instagram';
  const { echo, nobody, ...members } = item;
  const [sender, recipient] = echo === true ? [own, person] : [person, own];
  const parties = {
    sender: { id: sender[type] },
    recipient: { id: recipient[type] },
  };
  const whole =
    section === 'changes' ? members : { ...(nobody === true ? {} : parties), timestamp: at, ...members };
  const text = JSON.stringify(whole).replace('"mid":"*"', '"mid":"m_SHAPE"');
  return { object, entry: [{ id: own[type], time: at, [section]: [JSON.parse(text)] }] };
}

/** What the actor tells of a POST that comes twice. */
async function toldOf(type: ChannelType, post: unknown): Promise<Told[]> {
  const facts = parse(post).facts.filter((fact): fact is ChannelFact => 'channelType' in fact);
  const profile = chatappProfile({ isDualUse: true });
  const channel = await LiveChannel.started({
    type,
    ...(type === 'chatapp' ? { channel: { profile } } : {}),
  });
  for (let times = 0; times < 2; times += 1) {
    if (facts.length > 0) await channel.facts(...facts);
    for (const fetch of channel.fetches.splice(0))
      await fetch.answer({ outcome: 'failed', error: 'x', mayPass: false });
  }
  await channel.clock.pass(20_000);
  return channel.feed.map(({ live: { envelope } }) => {
    const { type: kind, unsupported_type: name, text, caption } = envelope.data;
    return [envelope.event, String(name ?? kind), stringOrNull(text ?? caption)];
  });
}

describe.each([
  ['chatapp', chatappPost],
  ['threads', threadPost],
] as const)('%s', (file, postOf) => {
  test.each(rowsOf(file).map((row) => [row.source, row.name, row] as const))('%s: %s', async (_, __, row) => {
    const post = postOf(row);
    const { facts, malformed, ignored } = parse(post);
    expect({ malformed, ignored: ignored > 0, facts: facts.length > 0 }).toEqual({
      malformed: row.malformed === true ? 1 : 0,
      ignored: row.counted === true,
      facts: row.malformed !== true && row.counted !== true,
    });
    const kept = row.unknown === true ? ['unknown'] : row.malformed === true ? ['malformed'] : [];
    expect(leftOutOf(post).map(({ reason }) => reason)).toEqual(kept);
    expect(await toldOf(row.type ?? 'chatapp', post)).toEqual(row.told);
  });
});
