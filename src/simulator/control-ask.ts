import { validateHeaderValue } from 'node:http';
import { asNumber, asText, type Bag } from './bag.ts';
import type { Heard } from './events.ts';

/** Returns a text member that is required. Throws an Error that names it. */
export function required(ask: Bag, name: string): string {
  const value = asText(ask[name]);
  if (value === undefined || value === '') throw new Error(`${name} is missing`);
  return value;
}

/** Returns one of the given words, or the default when left out. Throws an Error that lists them. */
export function oneOf<Word extends string>(
  ask: Bag,
  name: string,
  words: readonly Word[],
  otherwise: Word,
): Word {
  const value = ask[name];
  if (value === undefined || value === null) return otherwise;
  const word = words.find((candidate) => candidate === value);
  if (word === undefined) throw new Error(`${name} must be one of ${words.join(', ')}`);
  return word;
}

/** Throws an Error that names the members of a call that it does not have: a misspelt one would do nothing. */
export function refuseUnknown(ask: Bag, known: ReadonlySet<string>): void {
  const unknown = Object.keys(ask).filter((name) => !known.has(name));
  if (unknown.length > 0)
    throw new Error(`unknown: ${unknown.join(', ')}; this call has ${[...known].join(', ')}`);
}

/** Returns a text member that a later answer has in a header. Throws an Error if no header can contain it. */
export function headerText(ask: Bag, name: string): string | undefined {
  const value = asText(ask[name]);
  if (value !== undefined) validateHeaderValue(name, value);
  return value;
}

/** Returns the status of a later answer. Throws an Error if it is not one of a final answer. */
export function answerStatus(ask: Bag, name: string): number | undefined {
  const status = asNumber(ask[name]);
  if (status === undefined || (Number.isInteger(status) && status >= 200 && status <= 599)) return status;
  throw new Error(`${name} must be a whole number from 200 to 599`);
}

/** How many webhooks a call emitted; with `wait`, the last answer to each (0: none). */
export type Told = { readonly webhooks: number; readonly answers?: readonly number[] };

/** Emits webhooks, and waits for their answers when the call asks for it. `emit` returns how many webhooks it emitted. */
export async function tell(ask: Bag, emit: (heard: Heard) => number): Promise<Told> {
  if (ask.wait !== true) return { webhooks: emit(undefined) };
  const answers: number[] = [];
  const webhooks = await new Promise<number>((resolve) => {
    let expected = Infinity;
    const settled = (answer: number): void => {
      if (answers.push(answer) >= expected) resolve(expected);
    };
    expected = emit({ settled });
    if (answers.length >= expected) resolve(expected);
  });
  return { webhooks, answers };
}
