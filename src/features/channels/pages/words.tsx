import type { Channel } from '../../../rules/channels/channel.ts';
import { kindOf } from '../../../rules/channels/kinds.ts';
import type { HealthProblem } from '../../../rules/channels/health.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import type { VNode } from 'preact';
import { Badge, Whole } from '../../../pages/components.tsx';
import { addressOf } from '../../../rules/channels/address.ts';
import type { ChannelWithHealth } from '../types.ts';
import { billingPath, channelPath, channelTabPath } from '../../../pages/paths.ts';

interface Health {
  tone: 'good' | 'bad' | 'idle';
  word: string;
  why: string;
}

type Code = HealthProblem['code'];

const healths: Readonly<Record<Code, Health>> = {
  inactive: {
    tone: 'idle',
    word: 'removed',
    why: 'The channel neither sends nor receives. Connect it again to use it.',
  },
  licence_inactive: {
    tone: 'bad',
    word: 'no licence',
    why: 'The channel neither sends nor receives until it has an active licence.',
  },
  token_missing: {
    tone: 'bad',
    word: 'reconnect',
    why: 'The channel has no access token of the platform: connect it again.',
  },
  token_refused: {
    tone: 'bad',
    word: 'reconnect',
    why: 'The platform refuses its access token: connect it again. It keeps its id and settings.',
  },
  access_removed: {
    tone: 'bad',
    word: 'reconnect',
    why: 'The platform lets us reach it no more: somebody removed our access there. Connect it again. It keeps its id and settings.',
  },
  account_disabled: {
    tone: 'bad',
    word: 'disabled',
    why: 'The platform has disabled its business account. Appeal in the business settings of the platform.',
  },
  app_webhooks_missing: {
    tone: 'bad',
    word: 'no events',
    why: 'The platform does not send us events of such channels. Your operator has to subscribe the app.',
  },
  app_webhooks_elsewhere: {
    tone: 'bad',
    word: 'no events',
    why: 'The platform sends events of such channels to another address. Your operator has to change it.',
  },
  webhook_elsewhere: {
    tone: 'bad',
    word: 'no events',
    why: 'The platform sends its events to another address, which somebody set for the number or its account. Remove that override there.',
  },
  registration_pending: {
    tone: 'bad',
    word: 'not registered',
    why: 'The platform has not registered the number yet. We try again by ourselves.',
  },
  sends_paused: {
    tone: 'bad',
    word: 'paused',
    why: 'The number was registered anew on its phone. Messages wait and go out when the platform has it back, usually within minutes.',
  },
  sends_blocked: {
    tone: 'bad',
    word: 'sends blocked',
    why: 'The platform blocks sending through it: see what to do below.',
  },
  account_restricted: {
    tone: 'bad',
    word: 'restricted',
    why: 'The platform has restricted its business account. See the business settings of the platform.',
  },
  policy_enforcement: {
    tone: 'bad',
    word: 'policy',
    why: 'The platform has blocked the page or warned it of a breach of its policies. See the settings of the page.',
  },
  messages_without_content: {
    tone: 'bad',
    word: 'empty messages',
    why: "Messages arrive without their content. Your operator's app lacks access at the platform, or is not published.",
  },
  token_ending: {
    tone: 'bad',
    word: 'reconnect soon',
    why: 'Its access token ends soon, and the platform did not renew it: connect it again before. It keeps its id and settings.',
  },
  test_push_received: {
    tone: 'good',
    word: 'test received',
    why: 'A test event of the platform has arrived. Real events need the subscription too.',
  },
  not_subscribed: {
    tone: 'bad',
    word: 'no events',
    why: 'The platform does not send us the events of this channel. We subscribe again; if the problem stays, connect it again.',
  },
  webhook_missing: {
    tone: 'idle',
    word: 'sends only',
    why: 'Its webhook has no address, or no event is selected: it gets no event.',
  },
  webhook_failing: {
    tone: 'bad',
    word: 'not delivered',
    why: 'Your receiver did not answer 2xx to the last delivery: see its answer.',
  },
};

const well: Health = { tone: 'good', word: 'ready', why: 'It sends, and its events are delivered.' };

const suspended: Health = {
  tone: 'bad',
  word: 'sends refused',
  why: 'The account is suspended: its sends are refused. Events are still delivered.',
};

/** What differs while the account is suspended; the other words stay true. */
const suspendedHealths: Readonly<Partial<Record<Code, Health>>> = {
  webhook_missing: {
    ...suspended,
    why: 'The account is suspended: its sends are refused. Its webhook has no address, or no event is selected: it gets no event.',
  },
};

interface Described {
  problems: readonly { code: Code }[];
  /** Whether the channel's account is suspended. */
  isSuspended: boolean;
}

/** One word, and what to do about it, for the first problem. */
export function describeHealth({ problems: [first], isSuspended }: Described): Health {
  if (first === undefined) return isSuspended ? suspended : well;
  return (isSuspended ? suspendedHealths[first.code] : undefined) ?? healths[first.code];
}

const fixedByConnecting: readonly Code[] = [
  'token_missing',
  'token_refused',
  'access_removed',
  'token_ending',
  'not_subscribed',
  'inactive',
];

/** The page on which a person can fix the problem. */
export function pathToFix(channelId: string, code: Code | undefined): string {
  if (code === 'licence_inactive') return billingPath;
  if (code === 'webhook_failing') return `/portal/deliveries?channel=${channelId}`;
  if (code === 'webhook_missing') return channelTabPath(channelId, 'webhook');
  if (code !== undefined && fixedByConnecting.includes(code)) return channelTabPath(channelId, 'connection');
  return channelPath(channelId);
}

/** Whether channels of this kind send templates. */
export function takesTemplates(type: ChannelType): boolean {
  return kindOf(type).canSend.has('template');
}

/** Cell of a list: the channel's health in one word, and the reason unless all is well. */
export function HealthCell({ of, isSuspended }: { of: ChannelWithHealth; isSuspended: boolean }): VNode {
  const { tone, word, why } = describeHealth({ ...of, isSuspended });
  return (
    <span class="health">
      <Badge tone={tone}>{word}</Badge>
      {tone === 'good' ? null : <span class="hint">{why}</span>}
    </span>
  );
}

interface LinkProps {
  id: string;
  /** The channels whose names are known here. */
  channels: ReadonlyMap<string, Pick<Channel, 'name' | 'channelType' | 'profile'>>;
  /** Text of the link for any other channel. */
  otherwise: string;
}

/** Link to the channel's page, with its name and address. */
export function ChannelLink({ id, channels, otherwise }: LinkProps): VNode {
  const channel = channels.get(id);
  const address = channel === undefined ? '' : addressOf(channel);
  return (
    <a href={channelPath(id)}>
      <bdi>{channel === undefined ? otherwise : (channel.name ?? channel.channelType)}</bdi>{' '}
      {address === '' ? null : (
        <span class="dim">
          <Whole text={address} />
        </span>
      )}
    </a>
  );
}
