import { portalTerms } from '../../portal-terms.ts';
import { signedInPage } from '../../route.ts';
import type { SignedInContext } from '../../route.ts';
import { channelOfMessage, channelOfDelivery } from '../delivered.ts';
import { listMessages } from '../list.ts';
import type { VNode } from 'preact';
import { maxRecipient } from '../../../rules/channels/recipient.ts';
import { listedStatuses } from '../listed.ts';
import type { ListedStatus } from '../listed.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { MessageFilter, MessageOnChannel } from '../types.ts';
import type { Page, PageRequest } from '../../../kernel/paging.ts';
import { Choice, DayField, dayIn, writeDay, Field } from '../../../pages/forms/field.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import {
  More,
  PersonLink,
  Rows,
  State,
  When,
  pageIn,
  perPage,
  FirstStep,
} from '../../../pages/components.tsx';
import type { Tone } from '../../../pages/components.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import {
  deliveryPath,
  messagesPath as path,
  personPath,
  channelsPath,
  messagePath,
} from '../../../pages/paths.ts';
import { None } from './none.tsx';
import { chosenChannel, ChannelLink } from '../../channels/index.ts';
import type { ChosenChannel } from '../../channels/index.ts';

/** Each looks at 1,000 messages at most. */
const maxReads = 5;

async function show(context: SignedInContext): Promise<void> {
  const { query } = context;
  const typed = (query.get('find') ?? '').trim().slice(0, maxRecipient);
  if (typed !== '') return find(context, typed);
  const person = query.get('person')?.trim().slice(0, maxRecipient) ?? '';
  const choice = await chosenChannel(context);
  answerShell(context, {
    title: 'Messages',
    ...(person === '' ? {} : { heading: <With person={person} />, back: <a href={path}>All messages</a> }),
    at: path,
    children:
      choice.chosen === null ? (
        <FirstStep path={channelsPath} word="Connect a channel">
          Messages belong to a channel, and there is none yet.
        </FirstStep>
      ) : (
        await list(context, choice, person)
      ),
  });
}

function With({ person }: { person: string }): VNode {
  return (
    <>
      Messages with <span class="mono">{person}</span>
    </>
  );
}

/** The id of a message or delivery leads there; any other text is taken for a person. */
async function find(context: SignedInContext, typed: string): Promise<void> {
  sendRedirect(context.response, (await pathOfId(context, typed)) ?? personPath(typed));
}

/** Accepts an id copied with its quotes. Returns null if nothing has this id. */
async function pathOfId({ world, caller }: SignedInContext, typed: string): Promise<string | null> {
  const id = typed.replace(/^["'`]?([^]*?)["'`]?,?$/, '$1').toLowerCase();
  const onMessage = await channelOfMessage(world, caller, id);
  if (onMessage !== null) return messagePath(onMessage, id);
  const onDelivery = await channelOfDelivery(world, caller, id);
  return onDelivery === null ? null : deliveryPath({ channelId: onDelivery, id });
}

/** The filter in the URL; an unknown word is ignored. */
function filterIn({ query }: SignedInContext, { chosen }: ChosenChannel, person: string): MessageFilter {
  const isNamed = (query.get('channel') ?? '') !== '';
  return {
    person: person === '' ? null : person,
    channelId: isNamed ? (chosen?.channel.id ?? null) : null,
    direction: null,
    status: listedStatuses.find((each) => each === query.get('state')) ?? null,
    ...dayIn(query),
  };
}

async function list(context: SignedInContext, choice: ChosenChannel, person: string): Promise<VNode> {
  const filter = filterIn(context, choice, person);
  const page = pageIn(context.query);
  const found = await fillPage(context, filter, page);
  const here = new URLSearchParams(Object.entries(shownIn(filter)).filter(([, value]) => value !== ''));
  return (
    <>
      <Search />
      <Filter choice={choice} filter={filter} />
      {found.items.length === 0 ? (
        <None
          person={person}
          isFiltered={here.size > 0}
          next={found.nextCursor}
          now={context.clock.now()}
          logDays={portalTerms(context.world).logDays}
        />
      ) : (
        <Rows
          heads={['Person', 'Direction', 'Kind', 'State', 'Channel', 'Time', 'Message']}
          rows={found.items.map((message) => row(message, choice.channels, context.clock.now()))}
        />
      )}
      <More path={here.size > 0 ? `${path}?${here}` : path} page={page} next={found.nextCursor} />
    </>
  );
}

/** Reads until a page is full: a filter may match few of many, and each read looks at a bounded number of messages. */
async function fillPage(
  { world, caller }: SignedInContext,
  filter: MessageFilter,
  page: PageRequest,
): Promise<Page<MessageOnChannel>> {
  const items: MessageOnChannel[] = [];
  let { cursor } = page;
  for (let reads = 1; ; reads += 1) {
    const limit = perPage - items.length;
    const found = await listMessages(world, caller, filter, { limit, cursor });
    items.push(...found.items);
    cursor = found.nextCursor;
    if (cursor === null || items.length === perPage || reads === maxReads)
      return { items, nextCursor: cursor };
  }
}

/** The filter as in the URL. */
function shownIn({ person, channelId, status, since }: MessageFilter): Record<string, string> {
  return { person: person ?? '', channel: channelId ?? '', state: status ?? '', day: writeDay(since) };
}

function Search(): VNode {
  return (
    <form method="get" action={path} class="narrow">
      <Field
        name="find"
        label="Find"
        hint="A phone number, a person’s id, or the id of a message or of a delivery (X-Webhook-Id)."
        autocomplete="off"
        mono
        maxLength={maxRecipient}
        problems={noProblems}
      />
      <button class="quiet">Find</button>
    </form>
  );
}

function Filter({ choice, filter }: { choice: ChosenChannel; filter: MessageFilter }): VNode {
  const { person, channel = '', state = '', day = '' } = shownIn(filter);
  return (
    <form method="get" action={path} class="inline filter">
      {person === '' ? null : <input type="hidden" name="person" value={person} />}
      <Choice
        name="channel"
        label="Channel"
        options={[['', 'all channels'], ...choice.options]}
        chosen={channel}
      />
      <Choice
        name="state"
        label="State"
        options={[['', 'any state'], ...listedStatuses.map((each) => [each, each] as const)]}
        chosen={state}
      />
      <DayField value={day} />
      <button class="quiet">Show</button>
    </form>
  );
}

const directionWords = { outbound: 'sent', inbound: 'received', echo: 'written elsewhere' } as const;

function chooseTone(status: ListedStatus): Tone {
  if (status === 'failed') return 'bad';
  return status === 'queued' || status === 'received' ? 'idle' : 'good';
}

function row(message: MessageOnChannel, channels: ChosenChannel['channels'], now: number): VNode[] {
  const { messageId, channelId, channelType, person, type, direction, status, createdAt } = message;
  const what = `${directionWords[direction]} message`;
  return [
    person === null ? <span class="dim">unknown</span> : <PersonLink person={person} />,
    <span>{directionWords[direction]}</span>,
    <span class="nowrap">{type ?? 'unknown'}</span>,
    <State tone={chooseTone(status)}>{status}</State>,
    <ChannelLink id={channelId} channels={channels} otherwise={channelType} />,
    <When at={createdAt} now={now} />,
    <a class="nowrap" href={messagePath(channelId, messageId)}>
      What happened<span class="unseen"> to this {what}</span>
    </a>,
  ];
}

/** [operator-interface §2, DELIVERY_LOG_DAYS] */
export const messagesPage = signedInPage({ get: path, name: 'messagesPage', open: show });
