import { portalTerms } from '../../portal-terms.ts';
import { answerList, signedInPage } from '../../route.ts';
import type { FeaturePages, SignedInContext } from '../../route.ts';
import { channelOfMessage, channelOfDelivery } from '../delivered.ts';
import { listMessages } from '../list.ts';
import type { VNode } from 'preact';
import { maxRecipient } from '../../../rules/channels/recipient.ts';
import type { ListedStatus } from '../listed.ts';
import { sendRedirect } from '../../../http/answers.ts';
import type { MessageFilter, MessageOnChannel } from '../types.ts';
import type { Page, PageRequest } from '../../../kernel/paging.ts';
import { Icon } from '../../../pages/icon.tsx';
import { Field } from '../../../pages/forms/field.tsx';
import { spanOf } from '../../../pages/list/filter.tsx';
import { noProblems } from '../../../pages/forms/problems.ts';
import { PersonLink, Badge } from '../../../pages/components.tsx';
import type { Tone } from '../../../pages/components.tsx';
import { FirstStep } from '../../../pages/list/empty.tsx';
import { perPage } from '../../../pages/list/paging.tsx';
import { When } from '../../../pages/time.tsx';
import { answerShell } from '../../../pages/shell.tsx';
import type { FramedPage } from '../../../pages/frame.tsx';
import {
  deliveryPath,
  messagesPath as path,
  personPath,
  channelsPath,
  messagePath,
} from '../../../pages/paths.ts';
import { messageFilter } from './filter.ts';
import { messagesExport } from './export.ts';
import { ExportLink } from '../../../pages/list/export.tsx';
import { None } from './none.tsx';
import { messagePage } from './message.tsx';
import { sendTemplatePages } from './send-template.tsx';
import { channelField, hasChannel, ChannelLink } from '../../channels/index.ts';
import type { ChannelField } from '../../channels/index.ts';
import type { Channel } from '../../../rules/channels/channel.ts';

/** Each looks at 1,000 messages at most, in some 25 ms. */
const maxReads = 3;

async function show(context: SignedInContext): Promise<void> {
  const { query } = context;
  const typed = (query.get('find') ?? '').trim().slice(0, maxRecipient);
  if (typed !== '') return find(context, typed);
  const person = query.get('person')?.trim().slice(0, maxRecipient) ?? '';
  const frame = {
    title: 'Messages',
    ...(person === '' ? {} : { heading: <With person={person} />, back: <a href={path}>All messages</a> }),
  };
  const field = await channelField(context);
  if (await hasChannel(context)) return list(context, frame, field);
  answerShell(context, {
    ...frame,
    at: path,
    children: (
      <FirstStep path={channelsPath} word="Connect a channel">
        Messages belong to a channel, and there is none yet.
      </FirstStep>
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

async function list(
  context: SignedInContext,
  frame: Pick<FramedPage, 'title' | 'heading' | 'back'>,
  field: ChannelField,
): Promise<void> {
  await answerList(context, {
    ...frame,
    path,
    filter: messageFilter(field),
    intro: () => <Search />,
    read: (_context, { person, state: status, ...times }, page) => {
      const channelId = field.channel?.id ?? null;
      const asked = { person, channelId, direction: null, status, ...spanOf(context, times) };
      return field.choices === null ? read(context, asked, page) : nothing;
    },
    columns: [
      [
        'Person',
        ({ person }) => (person === null ? <span class="dim">unknown</span> : <PersonLink person={person} />),
        ['read-by'],
      ],
      ['Direction', ({ direction }) => directionWords[direction], ['p4']],
      ['Kind', ({ type }) => type ?? 'unknown', ['p4', 'second']],
      ['State', ({ status }) => <Badge tone={chooseTone(status)}>{status}</Badge>, ['state']],
      [
        'Channel',
        ({ channelId, channelType }, { found }) => (
          <ChannelLink id={channelId} channels={found.channels} otherwise={channelType} />
        ),
        ['p3', 'one-line'],
      ],
      ['Time', ({ createdAt }, { now }) => <When at={createdAt} now={now} />, ['second']],
      [
        'Message',
        ({ channelId, messageId, direction }) => (
          <a class="nowrap" href={messagePath(channelId, messageId)} data-drawer="">
            What happened<span class="unseen"> to this {directionWords[direction]} message</span>
          </a>
        ),
        ['second'],
      ],
    ],
    after: ({ query, found }) => (found.items.length === 0 ? null : <ExportLink path={path} query={query} />),
    empty: ({ asked, query, found, now }) =>
      field.choices ?? (
        <None
          person={asked.person ?? ''}
          isFiltered={query !== ''}
          next={found.nextCursor}
          now={now}
          logDays={portalTerms(context.world).logDays}
        />
      ),
  });
}

interface MessagePage extends Page<MessageOnChannel> {
  /** The channels of these messages, by id. */
  channels: ReadonlyMap<string, Channel>;
}

const nothing = Promise.resolve<MessagePage>({ items: [], nextCursor: null, channels: new Map() });

async function read(
  context: SignedInContext,
  filter: MessageFilter,
  asked: PageRequest,
): Promise<MessagePage> {
  const page = await fillPage(context, filter, asked);
  const ids = page.items.map(({ channelId }) => channelId);
  const channels = await context.world.stores.channels.among(context.caller.accountId, ids);
  return { ...page, channels };
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

function Search(): VNode {
  return (
    <form method="get" action={path} class="search">
      <Icon name="search" />
      <Field
        name="find"
        label="Find"
        placeholder="Number, person or id"
        autocomplete="off"
        mono
        maxLength={maxRecipient}
        problems={noProblems}
      />
      <button class="quiet">Find</button>
    </form>
  );
}

const directionWords = { outbound: 'sent', inbound: 'received', echo: 'written elsewhere' } as const;

function chooseTone(status: ListedStatus): Tone {
  if (status === 'failed') return 'bad';
  return status === 'queued' || status === 'received' ? 'idle' : 'good';
}

/** [operator-interface §2, DELIVERY_LOG_DAYS] */
export const messagePages: FeaturePages = {
  routes: [
    signedInPage({ get: path, name: 'messagesPage', open: show }),
    messagesExport,
    messagePage,
    ...sendTemplatePages,
  ],
  place: { path: path, name: 'Messages', icon: 'message', group: 'Monitor' },
};
