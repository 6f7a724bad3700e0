/** Which echo is the copy of which send, if upstream does not name the sender. [upstream §3.7, §4.8; spec: message.echo] */
import { describe, expect, test } from '@jest/globals';
import { echoMessageId } from '../../src/rules/events/echo.ts';
import type { Content } from '../../src/rules/messages/content.ts';
import type { Echo, Part } from '../../src/rules/messages/facts.ts';
import type { OutboundMessage } from '../../src/rules/messages/message.ts';
import { echoOf, fileOf as upstreamFile, newYear } from '../rules/samples.ts';
import { fileOf } from './support/files.ts';
import { readOf } from './support/facts.ts';
import { LiveChannel } from './support/live-channel.ts';
import { gate } from './support/toy-actor.ts';
import { Turns, accepted, openMessage, refused, unknown } from './support/turns.ts';

const hello: Content = { type: 'text', text: 'Hello' };
const image: Content = {
  type: 'media',
  mediaType: 'image',
  url: 'https://files.example/1',
  caption: null,
  filename: null,
};
const video: Part = { type: 'video', file: upstreamFile() };
const foreignId = echoMessageId('channel-1', 'up-1', 1);
const foreign = [`message.echo ${foreignId}`];
const own = ['message.delivered m-1'];

function echo(fields: Partial<Echo> = {}): Echo {
  const parts: Part[] = [{ type: 'text', text: 'Hello' }];
  return echoOf({ channelType: 'photoapp', upstreamId: 'up-1', recipient: 'mia', parts, ...fields });
}

/** A channel with the send `m-1`, whose call had an unknown outcome. */
async function unsure(content: Content = hello): Promise<LiveChannel> {
  const channel = await LiveChannel.started({ type: 'photoapp' });
  await channel.clock.pass(1_000);
  const send = { type: 'send', messageId: 'm-1', recipient: 'mia', content } as const;
  channel.ask(send).catch(() => undefined);
  await channel.settled;
  await channel.calls[0]?.answer(unknown);
  return channel;
}

const at = newYear + 1_000;

describe('an echo is the copy of a send whose outcome is unknown', () => {
  test.each<[string, Content, Part]>([
    ['with the same text', hello, { type: 'text', text: 'Hello' }],
    ['with a file of the same kind', image, fileOf()],
  ])('%s: no event of its own', async (_what, content, part) => {
    const channel = await unsure(content);
    await channel.facts(echo({ at, parts: [part] }));
    expect(channel.events).toEqual(own);
    expect(channel.store.messages.get('m-1')).toMatchObject({
      state: 'sent',
      rank: 2,
      upstreamIds: ['up-1'],
      statusAt: at,
      sentAt: at,
      deliveredAt: at,
    });
  });

  test.each<[string, Content, Partial<Echo>]>([
    ['with another text', hello, { parts: [{ type: 'text', text: 'Hello!' }] }],
    ['with a file of another kind', image, { parts: [video] }],
    ['with a file where a text was sent', hello, { parts: [fileOf()] }],
    ['with a text where a file was sent', image, { parts: [{ type: 'text', text: 'Hello' }] }],
    ['of nothing', hello, { parts: [{ type: 'unsupported', unsupportedType: 'share' }] }],
    [
      'of what a person chose',
      hello,
      { parts: [{ type: 'unsupported', unsupportedType: 'button', text: 'Hello' }] },
    ],
    ['to somebody else', hello, { recipient: 'noah' }],
    ['from before the send was asked for', hello, { at: at - 1 }],
    ['that names a sender of its own', hello, { tag: 'theirs' }],
  ])('but not an echo %s', async (_what, content, fields) => {
    const channel = await unsure(content);
    await channel.facts(echo({ at, ...fields }));
    expect(channel.events).toEqual(foreign);
    expect(channel.store.messages.get('m-1')?.state).toBe('queued');
  });

  test('but not of a send that upstream has refused: no copy of it can exist', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp' });
    await channel.send('m-1', 'mia', 'Hello');
    await channel.calls[0]?.answer(refused);
    await channel.facts(echo({ at: newYear }));
    expect(channel.events).toEqual(foreign);
  });

  test('but not of a send whose content can no longer be decrypted', async () => {
    const channel = new LiveChannel({ type: 'photoapp' });
    const { message } = openMessage({ channelType: 'photoapp', state: 'sending', content: null });
    channel.store.messages.set('m-1', message);
    await channel.takeOver();
    await channel.facts(echo({ at: newYear }));
    expect(channel.events).toEqual(foreign);
  });

  test('of two sends with the same text, the older one is matched', async () => {
    const channel = await unsure();
    await channel.send('m-2', 'mia', 'Hello');
    await channel.calls[1]?.answer(unknown);
    await channel.facts(echo({ at }));
    expect(channel.events).toEqual(own);
    await channel.facts(echo({ at, upstreamId: 'up-2' }));
    expect(channel.events).toEqual([...own, 'message.delivered m-2']);
  });

  test('a duplicate in the same batch is one copy, and makes no event', async () => {
    const channel = await unsure();
    await channel.facts(echo({ at }), echo({ at }));
    expect(channel.events).toEqual(own);
  });

  test('a duplicate in the same batch does not confirm a second send of the same text: that is resent', async () => {
    const channel = await unsure();
    await channel.send('m-2', 'mia', 'Hello');
    await channel.calls[1]?.answer(unknown);
    await channel.facts(echo({ at }), echo({ at }));
    expect([channel.events, channel.store.messages.get('m-2')?.state]).toEqual([own, 'queued']);
    await channel.clock.pass(180_000);
    expect(channel.calls.map(({ sent }) => sent.messageId)).toEqual(['m-1', 'm-2', 'm-2']);
  });

  test('a duplicate during the commit is one copy, and makes no event', async () => {
    const turns = new Turns({ type: 'photoapp' }).sent('m-1').answered('m-1', unknown);
    const tell = (job: number): string[] => {
      turns.tell({ type: 'take-facts', facts: [echo({ at })] });
      return turns.tell({ type: 'facts-resolved', job, known: [], conversations: [], delivered: [] });
    };
    expect([tell(1), tell(2)]).toEqual([
      ['commit 1! message.delivered(m-1) m-1:sent=up-1 m-1:delivered'],
      [],
    ]);
  });
});

describe('an echo that waits because a call to its person is in flight', () => {
  const soon = { sendResendAfterMs: 4_000 };

  test('is decided before a send that it may confirm is resent, although another call is in flight', async () => {
    const channel = await LiveChannel.started({ type: 'photoapp', rules: soon });
    await channel.send('m-1', 'mia', 'Hello');
    await channel.clock.pass(2_000);
    await channel.send('m-2', 'mia', 'Another');
    await channel.facts(echo({ at: newYear + 2_000 }));
    await channel.calls[0]?.answer(unknown);
    await channel.clock.pass(1_999);
    expect(channel.events).toEqual([]);
    await channel.clock.pass(1);
    expect([channel.events, channel.calls.length]).toEqual([own, 2]);
  });
});

test('an echo that is looked up while the answer to its send is being written is ours', async () => {
  const channel = await LiveChannel.started({ type: 'photoapp' });
  await channel.send('m-1', 'mia', 'Hello');
  const lookUp = gate();
  channel.lookUps = lookUp.promise;
  const taken = channel.facts(echo({ at: newYear }));
  await channel.calls[0]?.answer(accepted('up-1'));
  lookUp.open();
  expect(await taken).toEqual({ taken: 1, dropped: 0 });
  await channel.clock.pass(20_000);
  expect([channel.events, channel.store.unmatched.size]).toEqual([own, 0]);
});

test('an echo does not wait for a call to another person', async () => {
  const channel = await LiveChannel.started({ type: 'photoapp' });
  await channel.send('m-1', 'noah', 'Hello');
  await channel.facts(echo({ at: newYear }));
  expect(channel.events).toEqual(foreign);
});

test('an echo of our own answered send is stored, and makes no event', () => {
  const turns = new Turns({ type: 'photoapp' });
  const { message } = openMessage({ state: 'sent', upstreamIds: ['up-1'] });
  expect(take(turns, echo(), message)).toEqual(['commit 1! m-1:sent=up-1']);
});

function take(turns: Turns, fact: Echo, ...known: OutboundMessage[]): string[] {
  turns.tell({ type: 'take-facts', facts: [fact] });
  const job = turns.state.facts.nextJob - 1;
  return turns.tell({ type: 'facts-resolved', job, known, conversations: [], delivered: [] });
}

describe('a foreign echo', () => {
  const tracked = { type: 'photoapp', channel: { echoStatuses: true } } as const;
  const { message: known } = openMessage({
    id: foreignId,
    origin: 'echo',
    state: 'sent',
    upstreamIds: ['up-1'],
  });

  test('that is repeated ensures that its event exists', () => {
    expect(take(new Turns(tracked), echo(), known)).toEqual([
      `commit 1! message.echo(${foreignId}) echo(up-1)`,
    ]);
  });

  test('that is repeated is not matched with a later send, even of the same text', () => {
    const turns = new Turns(tracked).sent('m-1').answered('m-1', unknown);
    expect(take(turns, echo(), known)).toEqual([`commit 1! message.echo(${foreignId}) echo(up-1)`]);
  });

  test("that is tracked stores a message for each part, with the echo's time as sent", async () => {
    const channel = await LiveChannel.started({ type: 'photoapp', channel: { echoStatuses: true } });
    await channel.clock.pass(500);
    const parts: Part[] = [{ type: 'text', text: 'one' }, fileOf()];
    await channel.facts(echo({ at: newYear + 100, parts }));
    const { message } = openMessage({
      channelType: 'photoapp',
      origin: 'echo',
      content: null,
      state: 'sent',
      rank: 2,
      copies: 0,
      tries: 0,
      attemptedAt: newYear + 100,
      statusAt: newYear + 100,
      sentAt: newYear + 100,
      deliveredAt: newYear + 100,
      upstreamIds: ['up-1'],
      createdAt: newYear + 500,
    });
    expect([...channel.store.messages.values()]).toEqual([
      { ...message, id: foreignId, messageType: 'text' },
      { ...message, id: echoMessageId('channel-1', 'up-1', 2), messageType: 'image' },
    ]);
  });

  test('on a channel type whose echoes do not imply delivery has no delivery time', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', channel: { echoStatuses: true } });
    await channel.facts(echo({ channelType: 'pagechat' }));
    expect(channel.store.messages.get(foreignId)).toMatchObject({
      rank: 1,
      sentAt: newYear,
      deliveredAt: null,
    });
  });

  test('of a number that is used only through the cloud API makes no event', async () => {
    const profile = {
      type: 'chatapp',
      phoneNumberId: '1',
      phoneNumber: null,
      businessAccountId: '2',
      qualityRating: null,
      isDualUse: false,
    } as const;
    const channel = await LiveChannel.started({ channel: { profile, echoStatuses: true } });
    expect(await channel.facts(echo({ channelType: 'chatapp' }))).toEqual({ taken: 1, dropped: 0 });
    expect([channel.events, channel.store.messages.size]).toEqual([[], 0]);
  });
});

describe('a read that comes while an echo is undecided', () => {
  const echoStatuses = { type: 'photoapp', channel: { echoStatuses: true } } as const;

  /** A channel with an echo that waits for the answer of a call to its person. */
  const undecided = async (): Promise<LiveChannel> => {
    const channel = await LiveChannel.started(echoStatuses);
    await channel.send('m-1', 'mia', 'Another');
    await channel.facts(echo({ at: newYear + 5_000 }));
    await channel.calls[0]?.answer(refused);
    return channel;
  };
  const readUntil = (ms: number, recipient = 'mia') => readOf('photoapp', { recipient, at: newYear + ms });

  test('waits for the echo if it covers it', async () => {
    const channel = await undecided();
    await channel.facts(readUntil(5_000));
    await channel.clock.pass(10_000);
    expect(channel.events).toEqual([...foreign, `message.read ${foreignId}`]);
  });

  test.each([
    ['it is older', 4_999, 'mia'],
    ['it is of somebody else', 9_000, 'noah'],
  ])('does not cover the echo if %s', async (_why, ms, recipient) => {
    const channel = await undecided();
    await channel.facts(readUntil(ms, recipient));
    await channel.clock.pass(10_000);
    expect(channel.events).toEqual(foreign);
  });

  test('does not wait if echo_statuses is off', async () => {
    const channel = await undecided();
    await channel.change({ channel: { echoStatuses: false } });
    const { size } = channel.store.unmatched;
    await channel.facts(readUntil(9_000));
    expect(channel.store.unmatched.size).toBe(size);
  });

  test('is of a later echo, but of no message of ours that was sent after it, where upstream’s clock is ahead', async () => {
    const channel = await LiveChannel.started({ type: 'pagechat', channel: { echoStatuses: true } });
    await channel.facts(readOf('pagechat', { at: newYear + 2_000 }));
    await channel.clock.pass(500);
    await channel.sent('m-1', 'ours');
    await channel.facts(echo({ channelType: 'pagechat', at: newYear + 1_000 }));
    expect(channel.events).toEqual([...foreign, `message.read ${foreignId}`]);
  });
});
