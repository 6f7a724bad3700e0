import type { Part } from '../messages/facts.ts';

/** What is no file: upstream's name of it, and what a person chose. [spec: message.received 5; operator-interface §4] */
export function unsupportedBlock({
  unsupportedType,
  text,
}: Extract<Part, { type: 'unsupported' }>): Record<string, unknown> {
  const chosen = text === undefined ? {} : { text };
  return { type: 'unsupported', unsupported_type: unsupportedType, ...chosen };
}
