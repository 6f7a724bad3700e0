import type { LeftOutRequests, LoggedRequest, RequestFilter } from '../ports/request-log.ts';

export type { RequestFilter };

/** An answered request, as `src/http` reports it. */
export type EndedRequest = Omit<LoggedRequest, 'id' | 'isFailed' | 'leftOut' | 'createdAt'>;

/** `keyHint`: first and last characters of the key; null: the key is revoked. */
export type ListedRequest = Omit<LoggedRequest, 'id' | 'accountId' | 'apiKeyId' | 'isFailed' | 'leftOut'> & {
  keyHint: string | null;
};

/** Requests omitted in the minute that ended at `createdAt`. */
export type LeftOut = LeftOutRequests & Pick<LoggedRequest, 'createdAt'>;
