/** The first steps: an account, a channel through the dialog, and what the service says of it. The last ones: both end. */
import { newId } from '../../kernel/ids.ts';
import { textIn } from '../../kernel/json.ts';
import { kindOf } from '../../rules/channels/kinds.ts';
import type { ChannelType } from '../../rules/vocabulary.ts';
import { compare, record, skip, wordOf, type Person, type Run } from './run.ts';
import type { Service } from './service.ts';
import { wordOrKind } from './shape.ts';

/** Nothing answers there: the person copies the address that the browser shows in the end. */
const redirectUri = 'https://acceptance.example.com/connected';

export interface Account {
  readonly id: string;
  readonly email: string;
  readonly key: string;
}

/** An account of its own, whose key the calls have from now on. */
export async function openAccount(service: Service): Promise<Account> {
  const email = `acceptance-${newId()}@example.com`;
  const { body } = await service.admin('POST', '/admin/v1/accounts', { email, tier: 'pro' });
  const key = needed(body, 'api_key');
  service.useKey(key);
  return { id: needed(body, 'account_id'), email, key };
}

/** Connects a channel; returns its id. Throws an Error when there is none: every later step needs it. */
export async function connect(
  run: Pick<Run, 'service' | 'person' | 'findings'> & { readonly channelType: ChannelType },
): Promise<string> {
  const { service, person, channelType } = run;
  await service.api('POST', '/api/v1/redirects', { uri_pattern: 'https://acceptance.example.com/*' });
  const request = { channel_type: channelType, redirect_uri: redirectUri };
  const setup = await service.api('POST', '/api/v1/channels/setup-url', request);
  const code = await codeFrom(person, needed(setup.body, 'setup_url'));
  const events = kindOf(channelType).availableEvents;
  const body = { code, webhook_events: events };
  const exchange = await service.api('POST', '/api/v1/channels/exchange-code', body);
  compare(run, 'connect', '200', wordOf(exchange));
  return needed(exchange.body, 'channel_id');
}

async function codeFrom(person: Person, setupUrl: string): Promise<string> {
  const text =
    'Open this address, allow, and copy the address that the browser shows in the end (the page itself is missing):';
  const answer = await person.ask({ name: 'connect', text: `${text}\n${setupUrl}`, facts: { setupUrl } });
  const shown = URL.canParse(answer) ? new URL(answer) : null;
  const code = shown?.searchParams.get('code') ?? null;
  const error = shown?.searchParams.get('error') ?? 'no address was given';
  if (code === null) throw new Error(`the dialog ended without a code: ${error}`);
  return code;
}

function needed(body: unknown, member: string): string {
  const value = textIn(body, member);
  if (value === null) throw new Error(`the answer has no ${member}`);
  return value;
}

/** Questions that only eyes can answer. Of the answers only these words, or a number, get into the report. */
const looks = [
  { step: 'dialog: form of the sign-up', settles: 'U1', words: ['v2', 'v3', 'v4', 'error', 'other'], text: 'Which form did the sign-up have?' },
  { step: 'dialog: offers dual use', settles: 'U2', words: ['yes', 'no'], text: "Did it offer to keep the number in the phone's app?" },
  { step: 'dialog: seconds until the code was used', settles: 'U4', words: [], text: 'Seconds between the last click and the code?' },
] as const; // oxfmt-ignore

export async function look(run: Run): Promise<void> {
  const health = await run.service.admin('GET', `/admin/v1/channels/${run.channelId}`);
  compare(run, 'channel: what the operator reads', '200', wordOf(health));
  if (run.channelType !== 'chatapp') return;
  for (const { step, settles, words, text } of looks) {
    const choice = words.length === 0 ? 'a number' : words.join(', ');
    const typed = await run.person.ask({
      name: `look: ${settles}`,
      text: `${text} (${choice}; empty: skip)`,
    });
    if (typed === '') skip(run, step, settles);
    else record(run, step, settles, wordOrKind(typed, words));
  }
}

/** Nothing of the run stays usable: the channel is inactive, its number or page is free, and the account is suspended. */
export async function end(
  run: Pick<Run, 'service' | 'findings'>,
  account: Account,
  channelId: string | null,
): Promise<void> {
  const { service } = run;
  if (channelId !== null) {
    const gone = await service.api('DELETE', `/api/v1/channels/${channelId}`);
    compare(run, 'end: the channel is inactive', '200', String(gone.status));
    const free = await service.admin('DELETE', `/admin/v1/channels/${channelId}/claim`);
    compare(run, 'end: another account can connect it', '200', String(free.status));
  }
  const path = `/admin/v1/accounts/${account.id}`;
  const suspended = await service.admin('PATCH', path, { suspended: true });
  compare(run, 'end: the account is suspended', '200', String(suspended.status));
}
