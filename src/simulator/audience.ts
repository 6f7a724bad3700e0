import { textOf } from './bag.ts';
import type { Page, Photo } from './model.ts';
import type { World } from './world.ts';

/**
 * How an app hears a person who writes to a page or photo account. `bare`: an item that tells only that something was written. Unpublished,
 * an app hears of pages what people with a role write, and nothing of photo accounts ["Webhooks for Instagram Messaging"]; with Standard
 * Access it hears people with a role [access levels], and of photo accounts the others as bare items (seen by six clients).
 */
export function hearingOf(
  { settings, roles }: World,
  channel: Page | Photo,
  personId: string,
): 'whole' | 'bare' | 'none' {
  const isPhoto = channel.type === 'photo';
  if (!settings.app_published && isPhoto) return 'none';
  const isOpen = settings.app_published && settings.app_access === 'advanced';
  if (isOpen || roles.has(personId)) return 'whole';
  return isPhoto ? 'bare' : 'none';
}

/** Whether the app may write to this person at all. */
export function mayWriteTo({ settings, roles }: World, personId: string): boolean {
  return (settings.app_published && settings.app_access === 'advanced') || roles.has(personId);
}

/** The person of an event: its sender, or its recipient if the business wrote. */
export function personIn(channel: Page | Photo, item: Readonly<Record<string, unknown>>): string {
  const sender = textOf(item.sender, 'id');
  return (sender === channel.id ? textOf(item.recipient, 'id') : sender) ?? '';
}

/** What is left of a message for an app that may not read it: no sender, no recipient, no text. */
export function bareItem(item: Readonly<Record<string, unknown>>): Record<string, unknown> {
  return { timestamp: item.timestamp, message_edit: { mid: textOf(item.message, 'mid'), num_edit: 0 } };
}
