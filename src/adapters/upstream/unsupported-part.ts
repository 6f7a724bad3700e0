import type { Part } from '../../domain/messages/facts.ts';

/** Upstream's names of kinds are a word or two. */
const maxName = 100;

/**
 * A part that is no file, under upstream's name. `chosen`: title of the button or row that the person picked. [spec: message.received 5;
 * operator-interface §4]
 */
export function unsupportedPart(name: string, chosen: string | null = null): Part {
  const unsupportedType = name.slice(0, maxName);
  return chosen === null
    ? { type: 'unsupported', unsupportedType }
    : { type: 'unsupported', unsupportedType, text: chosen };
}
