import { asBag, asList, asText, type Bag } from './bag.ts';
import type { Told } from './control-ask.ts';
import type { Conversation } from './model.ts';

/** What a person or the business's staff wrote, and the webhooks that told it. */
export type Written = Told & { readonly id: string; readonly media: readonly { id: string; url: string }[] };

const saidKept = 50;

/** Records a line for the chat page. An event about another message can't be answered, so its line has no id. */
export function noteLine(
  conversation: Conversation,
  who: 'person' | 'business',
  at: number,
  id: string,
  ask: Bag,
): void {
  const type = asText(ask.type) ?? 'text';
  const text = asText(ask.text) ?? asText(ask.caption) ?? '';
  const files = (asList(ask.attachments) ?? []).map((file) => asText(asBag(file)?.type) ?? 'file');
  const shown =
    files.length > 0 ? `[${files.join(', ')}] ${text}` : type === 'text' ? text : `[${type}] ${text}`;
  conversation.said.push({ at, who, text: shown.trim(), id: isAboutAnother.has(type) ? null : id });
  if (conversation.said.length > saidKept) conversation.said.shift();
}

const isAboutAnother = new Set(['reaction', 'edit', 'revoke', 'delete', 'referral', 'optin']);
