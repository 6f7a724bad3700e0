import type { SendState } from './message.ts';
import type { RecipientNames } from './recipient-names.ts';

/** [spec: Message send state] */
export type SendReply =
  | ({ status: 'sent' } & RecipientNames)
  | { status: 'queued' }
  | { status: 'failed'; error: string; errorCode: number | null };

/** The answer to a send with this state; null for an abandoned marker: nothing was sent and never will be. */
export function replyFor(found: {
  state: SendState;
  error?: string | null;
  errorCode?: number | null;
}): SendReply | null {
  switch (found.state) {
    case 'abandoned':
      return null;
    case 'sending':
    case 'queued':
      return { status: 'queued' };
    case 'sent':
      return { status: 'sent' };
    case 'failed':
      return {
        status: 'failed',
        error: found.error ?? 'The message could not be sent',
        errorCode: found.errorCode ?? null,
      };
    default:
      return found.state satisfies never;
  }
}
