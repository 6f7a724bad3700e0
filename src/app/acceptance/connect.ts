/** The first steps: an account, a channel through the dialog, and what the service says of it. */
import { newId } from '../../kernel/ids.ts';
import { textIn } from '../../kernel/json.ts';
import type { ChannelType } from '../../domain/vocabulary.ts';
import { kindOf } from '../../domain/channels/kinds.ts';
import { Feed } from './feed.ts';
import { compare, record, wordOf, type Finding, type Person, type Run } from './run.ts';
import type { Service } from './service.ts';

/** Nothing answers there: the person copies the address that the browser shows in the end. */
const redirectUri = 'https://acceptance.example.com/connected';

interface Given {
  readonly service: Service;
  readonly person: Person;
  readonly channelType: ChannelType;
  readonly patienceMs: number;
}

/** Connects a channel in an account of its own. Throws an Error when there is no channel: every later step needs it. */
export async function connect({ service, person, channelType, patienceMs }: Given): Promise<Run> {
  const email = `acceptance-${newId()}@example.com`;
  const account = await service.admin('POST', '/admin/v1/accounts', { email, tier: 'pro' });
  service.useKey(needed(account.body, 'api_key'));
  await service.api('POST', '/api/v1/redirects', { uri_pattern: 'https://acceptance.example.com/*' });
  const request = { channel_type: channelType, redirect_uri: redirectUri };
  const setup = await service.api('POST', '/api/v1/channels/setup-url', request);
  const code = await codeFrom(person, needed(setup.body, 'setup_url'));
  const events = kindOf(channelType).availableEvents;
  const exchange = await service.api('POST', '/api/v1/channels/exchange-code', {
    code,
    webhook_events: events,
  });
  const channelId = needed(exchange.body, 'channel_id');
  const feed = await Feed.open(service.url, needed(account.body, 'api_key'), service.exchanges);
  const findings: Finding[] = [];
  const run = { service, feed, person, channelType, channelId, findings, patienceMs };
  compare(run, 'connect', '200', wordOf(exchange));
  return run;
}

async function codeFrom(person: Person, setupUrl: string): Promise<string> {
  const text =
    'Open this address, allow, and copy the address that the browser shows in the end (the page itself is missing):';
  const answer = await person.ask({ name: 'connect', text: `${text}\n${setupUrl}`, facts: { setupUrl } });
  const end = URL.canParse(answer.trim()) ? new URL(answer.trim()) : null;
  const code = end?.searchParams.get('code') ?? null;
  if (code === null) throw new Error(`the dialog ended without a code: ${end?.search ?? 'no address'}`);
  return code;
}

function needed(body: unknown, member: string): string {
  const value = textIn(body, member);
  if (value === null) throw new Error(`the answer has no ${member}`);
  return value;
}

/** Questions that only eyes can answer: what the dialog showed, and what the operator reads elsewhere. */
const looks = [
  { step: 'dialog: form of the sign-up', settles: 'U1, U2', text: 'What did the dialog offer? (dual use, version, error page; a few words)' },
  { step: 'dialog: time until the code was used', settles: 'U4', text: 'Seconds between the last click and the code? (empty if unknown)' },
] as const; // oxfmt-ignore

export async function look(run: Run): Promise<void> {
  const health = await run.service.admin('GET', `/admin/v1/channels/${run.channelId}`);
  compare(run, 'channel: what the operator reads', '200', wordOf(health));
  for (const { step, settles, text } of looks) {
    const seen = await run.person.ask({ name: `look: ${settles}`, text });
    if (seen !== '') record(run, step, settles, seen);
    else run.findings.push({ step, settles, believed: '', seen: '', verdict: 'skipped' });
  }
}
