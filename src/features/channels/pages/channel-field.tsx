/** The field of a filter that takes a channel: typed by name, number, handle or id, whatever the number of channels. */
import type { VNode } from 'preact';
import type { SignedInContext } from '../../route.ts';
import type { Channel } from '../../../rules/channels/channel.ts';
import type { ChannelType } from '../../../rules/vocabulary.ts';
import { isId } from '../../../kernel/ids.ts';
import { Whole } from '../../../pages/components.tsx';
import { Empty } from '../../../pages/list/empty.tsx';
import { Field } from '../../../pages/forms/field.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import type { FilterField } from '../../../pages/list/filter.tsx';
import { addressOf } from '../../../rules/channels/address.ts';
import { findChannel } from '../find.ts';
import { findTyped, wordsOf } from '../find-typed.ts';
import type { TypedChannels } from '../find-typed.ts';

const maxTyped = 100;
const mostOffered = 10;
/** The channel that the field shows: its text alone may fit others too. */
const shownName = 'channel-is';

type Shown = Pick<Channel, 'id' | 'channelType' | 'name' | 'profile'>;

export interface ChannelField extends FilterField {
  /** null: all channels, or what was typed does not say which one. */
  channel: Shown | null;
  /** In place of the rows, if what was typed is not one channel: links to those that it fits. */
  choices: VNode | null;
  /** The field, showing this channel. */
  with: (channel: Shown | null) => FilterField;
}

/**
 * The field `channel` of this URL. `fits`: the kinds that can be chosen. Throws 404 `not_found` for the id of a channel that the account
 * does not have.
 */
export async function channelField(
  context: SignedInContext,
  { fits = () => true, any = 'all channels' }: { fits?: (type: ChannelType) => boolean; any?: string } = {},
): Promise<ChannelField> {
  const typed = (context.query.get('channel') ?? '').trim().slice(0, maxTyped);
  const named = await channelNamed(context, typed);
  if (named !== null) return fieldOf(typed, any, named, null);
  if (typed === '') return fieldOf(typed, any, null, null);
  const found = await findTyped(context.world, context.caller, typed, { most: mostOffered, fits });
  const [only] = found.items;
  if (only !== undefined && found.items.length === 1 && !found.isMore) return fieldOf(typed, any, only, null);
  return fieldOf(typed, any, null, <Choices context={context} typed={typed} found={found} />);
}

/** The channel with the typed id, or the one that the field showed, if its text is unchanged. */
async function channelNamed(
  { world, caller, query }: SignedInContext,
  typed: string,
): Promise<Channel | null> {
  if (isId(typed.toLowerCase())) return findChannel(world, caller, typed.toLowerCase());
  const shown = query.get(shownName) ?? '';
  if (typed === '' || !isId(shown)) return null;
  const channel = await world.stores.channels.inAccount(shown, caller.accountId);
  return channel !== null && wordsFor(channel) === typed ? channel : null;
}

function fieldOf(typed: string, any: string, channel: Shown | null, choices: VNode | null): ChannelField {
  const own: ChannelField = {
    channel,
    choices,
    with: (other) => (other === null ? own : fieldOf('', any, other, null)),
    read: () => (channel?.id ?? typed) || null,
    control: (name) => (
      <>
        <Field
          name={name}
          label="Channel"
          value={channel === null ? typed : wordsFor(channel)}
          placeholder={any}
          required={false}
          maxLength={maxTyped}
          autocomplete="off"
          problems={noProblems}
        />
        {channel === null ? null : <input type="hidden" name={shownName} value={channel.id} />}
      </>
    ),
  };
  return own;
}

interface ChoicesProps {
  context: SignedInContext;
  typed: string;
  found: TypedChannels;
}

function Choices({ context, typed, found: { items, isMore } }: ChoicesProps): VNode {
  if (items.length === 0)
    return (
      <Empty>
        <p>
          No channel fits <q dir="auto">{typed}</q>. Type a part of its name, its number, its handle or its
          id.
        </p>
      </Empty>
    );
  return (
    <section aria-labelledby="which-channel">
      <h2 id="which-channel">Which channel?</h2>
      <ul>
        {items.map((channel) => (
          <li>
            <a href={pathWith(context, channel)}>
              <bdi>{channel.name ?? channel.channelType}</bdi> <Whole text={addressOf(channel)} />
            </a>
          </li>
        ))}
      </ul>
      {isMore ? <p>More channels fit: type more of its name, or its number.</p> : null}
    </section>
  );
}

/** This page, with this channel and the rest of the filter. */
function pathWith({ request, query }: SignedInContext, { id }: Shown): string {
  const [path = ''] = request.url.split('?');
  const others = [...query].filter(([name]) => !['channel', shownName, 'cursor', 'back'].includes(name));
  return `${path}?${new URLSearchParams([['channel', id], ...others]).toString()}`;
}

function wordsFor(channel: Shown): string {
  return wordsOf(channel).slice(0, maxTyped);
}
