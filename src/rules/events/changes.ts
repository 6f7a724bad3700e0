/** Changes that upstream makes, as events: `channel.updated`, `template.updated`. [spec: Additions, What changed] */
import type { ChannelEvent } from './built.ts';

/**
 * One change of one thing. It is kept beside what changed, written by the same write, until the owners of the channels concerned have it: so
 * of two nodes that learn of it one tells it, and a node that dies in between loses none.
 */
export interface Change {
  /** Derived from the version of the record that it made: told twice, it is one event. */
  id: string;
  /** Ms. */
  at: number;
  /** What changed, in a word. */
  changed: string;
  before: string | null;
  after: string | null;
  /** A sentence; never content of a message. */
  reason: string | null;
}

/** When a new change is to be told, whatever upstream's clock says. */
export const atOnce = 0;

/** Changes of one thing that wait to be told; beyond it the oldest is dropped. */
const maxUntold = 32;

export function withUntold(known: readonly Change[] | null, more: readonly Change[]): readonly Change[] {
  return [...(known ?? []), ...more].slice(-maxUntold);
}

export function channelUpdated({ id, at, ...change }: Change): ChannelEvent {
  return { event: 'channel.updated', messageId: id, at, data: change };
}

interface NamedTemplate {
  id: string;
  name: string;
  language: string;
}

export function templateUpdated(
  { id: templateId, name, language }: NamedTemplate,
  { id, at, ...change }: Change,
): ChannelEvent {
  const named = { template_id: templateId, template_name: name, language };
  return { event: 'template.updated', messageId: id, at, data: { ...named, ...change } };
}
