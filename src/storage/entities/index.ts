/** The entities that the engines know by name. The others are those of the features. */
import { channels, owners } from './channels.ts';
import { deliveries } from './deliveries.ts';
import type { AnyEntity } from './entity.ts';
import { strandedFacts, unmatchedFacts } from './facts.ts';
import { mailLines, mails } from './mails.ts';
import { mediaFiles } from './media-files.ts';
import { idempotency, messages, messageUpstreamIds } from './messages.ts';
import { subscriptions } from './subscriptions.ts';

export const engineEntities: readonly AnyEntity[] = [
  owners,
  channels,
  subscriptions,
  messages,
  messageUpstreamIds,
  idempotency,
  unmatchedFacts,
  strandedFacts,
  deliveries,
  mails,
  mailLines,
  mediaFiles,
];
