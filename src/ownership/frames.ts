/** Dispatches the frames of a peer to their handlers. */
import { asError } from '../kernel/faults.ts';
import type { Log } from '../kernel/log.ts';
import type { Feed } from './feed.ts';
import type { Following } from './following.ts';
import type { Homes } from './homes.ts';
import type { Link } from './link.ts';
import type { Membership } from './membership.ts';
import type { ClusterOptions } from './options.ts';
import type { Router } from './router.ts';
import type { Frame, NodeAsk, Refusal } from './wire.ts';

type FrameLink = Pick<Link, 'incarnation' | 'send' | 'offer'>;

interface FrameReceivers {
  router: Pick<Router, 'here' | 'tellHere'>;
  membership: Pick<Membership, 'drains' | 'drop'>;
  feed: Pick<Feed, 'receive'>;
  homes: Pick<Homes, 'settle'>;
  following: Pick<Following, 'sentFor' | 'givesIdle'>;
  /** Asks Redis for the members. */
  refreshMembers(): void;
  onChanged: ClusterOptions['onChanged'];
  /** Answers an ask about this node itself. */
  answerNode(ask: NodeAsk): Promise<unknown>;
  log: Log;
}

export function receiveFrame(link: FrameLink, frame: Frame, receivers: FrameReceivers): void {
  switch (frame.f) {
    case 'ask':
      void answer(link, frame, receivers);
      return;
    case 'tell':
      if (frame.isGiven === true) receivers.homes.settle(frame.channelId);
      receivers.router.tellHere(
        frame.channelId,
        frame.tell,
        frame.frees === 'redis' ? link.incarnation : null,
      );
      return;
    case 'changed':
      receivers.onChanged({ channelId: frame.channelId, apiKeyId: frame.apiKeyId });
      return;
    case 'listens':
    case 'event':
      receivers.feed.receive(link, frame);
      return;
    case 'look':
      receivers.refreshMembers();
      return;
    case 'drains':
      receivers.membership.drains(link.incarnation);
      return;
    case 'bye':
      receivers.membership.drop(link.incarnation);
      return;
    case 'askNode':
      void answerNode(link, frame, receivers);
      return;
    case 'ping':
    case 'reply':
    case 'refusal':
      return; // handled by the link itself
  }
}

async function answer(
  link: FrameLink,
  { id, channelId, ask }: Extract<Frame, { f: 'ask' }>,
  { router, following, log }: FrameReceivers,
): Promise<void> {
  try {
    if (ask.type === 'send' && following.givesIdle(link.incarnation, channelId))
      return link.send({ f: 'refusal', id, refusal: { why: 'moved', owner: link.incarnation } });
    const outcome = await router.here(channelId, ask);
    link.send('reply' in outcome ? { f: 'reply', id, ...outcome } : { f: 'refusal', id, ...outcome });
    // Later, because only then the actor has nothing in flight and may move.
    if (ask.type === 'send' && 'reply' in outcome)
      setImmediate(() => following.sentFor(link.incarnation, channelId));
  } catch (error) {
    log.error({ channel: channelId, ask: ask.type, error: asError(error) }, 'ask.failed');
    link.send({ f: 'refusal', id, refusal: internal });
  }
}

const internal: Refusal = { why: 'fault', code: 'internal', details: {} };

async function answerNode(
  link: FrameLink,
  { id, ask }: Extract<Frame, { f: 'askNode' }>,
  receivers: FrameReceivers,
): Promise<void> {
  try {
    link.send({ f: 'reply', id, reply: await receivers.answerNode(ask) });
  } catch (error) {
    receivers.log.error({ ask, error: asError(error) }, 'ask.failed');
    link.send({ f: 'refusal', id, refusal: internal });
  }
}
