import type { Part } from '../../domain/messages/facts.ts';

/** Upstream names kinds in a word or two. */
const maxName = 100;

/** What is no file, by upstream's name; `chosen`: what a person pressed. [spec: message.received 5; operator-interface §4] */
export function unsupportedPart(name: string, chosen: string | null = null): Part {
  const unsupportedType = name.slice(0, maxName);
  return chosen === null
    ? { type: 'unsupported', unsupportedType }
    : { type: 'unsupported', unsupportedType, text: chosen };
}
