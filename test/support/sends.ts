/** For tests of sends and events: new recipients, scripted faults of the simulator, and its ledger of the sends that reached it. */
import type { Answer } from './api.ts';
import type { Simulator } from './service.ts';
import { until } from './until.ts';
import type { Account, Channel, ChannelType, World } from './world.ts';
import { newAccount } from './world.ts';

export const channelTypes = ['chatapp', 'photoapp', 'pagechat'] as const;

const firstDigits = { chatapp: '4917', photoapp: '9977', pagechat: '8877' } as const;
let people = 0;

/** A recipient that no other test of this file uses, so that a test can filter the ledger and the inbox by it. */
export function newPerson(type: ChannelType): string {
  people += 1;
  return `${firstDigits[type]}${String(people).padStart(10, '0')}`;
}

/** One send call as upstream received it. */
export interface LedgerEntry {
  n: number;
  /** Time of arrival, ms. */
  at: number;
  channel: string;
  recipient: string;
  type: string;
  /** The caption, if the message is a file. */
  text: string | null;
  /** Our message id; null on photoapp. */
  tag: string | null;
  /** Members beyond those of a plain text or file; null: none. */
  more: Record<string, unknown> | null;
  id: string | null;
  outcome: 'accepted' | 'refused';
  code: number | null;
  status: string;
}

/** The sends that upstream received and that match the query. `outcome` is `accepted` unless given; with `at_least` and `wait_ms` the simulator waits until there are that many. */
export async function ledger(
  simulator: Simulator,
  query: Record<string, string | number>,
): Promise<LedgerEntry[]> {
  const asked = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) asked.set(name, String(value));
  const { sends } = await simulator.control(`sends?${asked.toString()}`);
  return sends;
}

/** Scripts upstream's answers to the next sends to this person. */
export function faultFor(
  simulator: Simulator,
  recipient: string,
  fault: Record<string, unknown>,
): Promise<unknown> {
  return simulator.control('faults', { match: { recipient }, ...fault });
}

/** How often each fault that was scripted for this person has fired. */
export async function fired(simulator: Simulator, recipient: string): Promise<number[]> {
  const { faults } = await simulator.control('faults');
  return faults
    .filter((fault: { match: { recipient?: string } }) => fault.match.recipient === recipient)
    .map((fault: { fired: number }) => fault.fired);
}

const isOverloaded = ({ status, text }: Answer): boolean => status === 503 && text.includes('overloaded');

/** A busy machine answers some sends 503, overloaded: nothing was sent, and the client retries. Throws at any other 503. */
export async function taken(ask: () => Promise<Answer>): Promise<Answer> {
  let answer = await ask();
  await until('the send to be taken', async () => {
    if (isOverloaded(answer)) answer = await ask();
    return !isOverloaded(answer);
  });
  if (answer.status === 503) throw new Error(`the send is answered 503: ${answer.text}`);
  return answer;
}

export type Channels = Record<ChannelType, Channel>;

/** Connects a channel of each type, to the assets with which the simulator starts. Makes their account. */
export async function connectAll(world: World): Promise<{ account: Account; channels: Channels }> {
  const account = await newAccount(world.service);
  const chatapp = await world.connect(account, 'chatapp');
  const photoapp = await world.connect(account, 'photoapp');
  const pagechat = await world.connect(account, 'pagechat');
  return { account, channels: { chatapp, photoapp, pagechat } };
}

interface Mail {
  kind: string;
  subject: string;
  lines: string[];
}

/** The mails to an account, read through the admin interface. */
export async function mailsOf(world: Pick<World, 'service'>, accountId: string): Promise<Mail[]> {
  const { status, body, text } = await world.service.admin('GET', `/mails?account_id=${accountId}`);
  if (status !== 200) throw new Error(`mails answered ${status}: ${text}`);
  return body.mails;
}
