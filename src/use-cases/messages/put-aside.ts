/** Messages whose files have ended the nodes that fetched them, kept for operators: sealed, since they say what a person wrote. [faults: 102] */
import { sealContext } from '../../domain/accounts/sealed.ts';
import type { Channel } from '../../domain/channels/channel.ts';
import type { InboundMessage } from '../../domain/messages/facts.ts';
import { fault } from '../../kernel/faults.ts';
import { idFrom } from '../../kernel/ids.ts';
import type { UseCaseDeps, UseCasePorts } from '../deps.ts';
import type { QuarantinedItem } from '../ports/operating.ts';
import type { Stores } from '../ports/stores.ts';

interface Message {
  channel: Channel;
  id: string;
  fact: InboundMessage;
  tries: number;
}

type Deps = Pick<UseCasePorts, 'sealer' | 'clock' | 'log' | 'counters'> & {
  stores: Pick<Stores, 'quarantine'>;
};

export async function putAside(
  { stores, sealer, clock, log, counters }: Deps,
  { channel, id: inboundId, fact, tries }: Message,
): Promise<void> {
  const { id: channelId, accountId, channelType, identity } = channel;
  const id = idFrom('aside', inboundId);
  const now = clock.now();
  await stores.quarantine.add([
    {
      id,
      reason: 'ended_node',
      channelType,
      channelId,
      accountId,
      identity,
      kind: 'files',
      shape: fact.parts.map(({ type }) => type).join(', '),
      times: tries,
      createdAt: now,
      lastSeenAt: now,
      sealed: sealer.sealText(JSON.stringify(fact), sealContext.aside(channelId, id)),
    },
  ]);
  counters.increment('quarantined_total', { kind: 'files' });
  log.error({ channel: channelId, quarantined: id, tries }, 'files.put-aside');
}

/** Throws 404 `not_found`. */
export async function dropQuarantined({ stores }: UseCaseDeps, id: string): Promise<void> {
  if (!(await stores.quarantine.drop(id))) throw noSuchItem();
}

/**
 * Its files are fetched anew, and it is told anew: once, however often that is asked for at once. Throws 404 `not_found`, 400
 * `bad_request` for an item that is only a shape.
 */
export async function retryQuarantined({ stores, sealer, router }: UseCaseDeps, id: string): Promise<void> {
  const item = await stores.quarantine.find(id);
  if (item === null) throw noSuchItem();
  const fact = messageOf(sealer, item);
  await router.ask(fact.channelId, { type: 'take-facts', facts: [fact.message] });
  await stores.quarantine.drop(id);
}

function messageOf(
  sealer: UseCaseDeps['sealer'],
  { id, channelId, sealed, lastSeenAt }: QuarantinedItem,
): { channelId: string; message: InboundMessage } {
  if (channelId === null || sealed === null)
    throw fault('bad_request', {
      why: 'Only the shape of this item is known: there is nothing to try again',
    });
  const message: InboundMessage = JSON.parse(sealer.openText(sealed, sealContext.aside(channelId, id)));
  return { channelId, message: { ...message, again: lastSeenAt } };
}

function noSuchItem() {
  return fault('not_found', { what: 'Quarantined item' });
}
