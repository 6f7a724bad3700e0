/** What the steps of an acceptance run share: the service, its live feed, the person with a phone, and the record of what happened. */
import type { ChannelType } from '../../rules/vocabulary.ts';
import { asRecord, textIn, type Json } from '../../kernel/json.ts';
import type { Feed } from './feed.ts';
import type { Service } from './service.ts';

/** A question to the person; `name` is what a script answers by, `facts` what it needs for that. An empty answer skips. */
export interface Question {
  readonly name: string;
  readonly text: string;
  readonly facts?: Readonly<Record<string, string>>;
}

export interface Person {
  ask(question: Question): Promise<string>;
}

/** A row of the table at the end. `settles` names the open question of the platform that it answers. */
export interface Finding {
  readonly step: string;
  readonly settles: string | null;
  readonly believed: string;
  readonly seen: string;
  readonly verdict: 'as believed' | 'differs' | 'skipped' | 'recorded';
}

export interface Run {
  readonly service: Service;
  readonly feed: Feed;
  readonly person: Person;
  readonly channelType: ChannelType;
  readonly channelId: string;
  readonly findings: Finding[];
  /** How long an event may take, ms. */
  readonly patienceMs: number;
}

/** Adds a row that compares what was seen with what `src/upstream` believes. */
export function compare(run: Pick<Run, 'findings'>, step: string, believed: string, seen: string) {
  const verdict = believed === seen ? 'as believed' : 'differs';
  run.findings.push({ step, settles: null, believed, seen, verdict });
}

/** Adds a row about which `src/upstream` believes nothing. */
export function record(run: Pick<Run, 'findings'>, step: string, settles: string | null, seen: string) {
  run.findings.push({ step, settles, believed: 'nothing', seen, verdict: 'recorded' });
}

export function skip(run: Pick<Run, 'findings'>, step: string, settles: string | null = null) {
  run.findings.push({ step, settles, believed: '', seen: '', verdict: 'skipped' });
}

/** Status and error code of an answer, in one word for the table. */
export function wordOf({ status, body }: { status: number; body: unknown }): string {
  const inner = asRecord(asRecord(body)?.['error']);
  const code = textIn(body, 'error_code') ?? (inner && textIn(inner, 'code'));
  const sent = textIn(body, 'status');
  return [String(status), sent, code].filter((part) => part !== null && part !== undefined).join(' ');
}

/** The `data` of an event's envelope. */
export function dataOf(envelope: Json): Json {
  return asRecord(envelope['data']) ?? {};
}

export function isReceived(envelope: Json): boolean {
  return envelope['event'] === 'message.received';
}
