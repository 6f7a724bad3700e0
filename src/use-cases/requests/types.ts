import type { LeftOutRequests, LoggedRequest, RequestFilter } from '../ports/request-log.ts';

export type { RequestFilter };

/** As the door knows it. */
export type EndedRequest = Omit<LoggedRequest, 'id' | 'isFailed' | 'leftOut' | 'createdAt'>;

/** `keyHint`: how the key begins and ends; null: it is not there any more. */
export type ListedRequest = Omit<LoggedRequest, 'id' | 'accountId' | 'apiKeyId' | 'isFailed' | 'leftOut'> & {
  keyHint: string | null;
};

/** In the minute that ended then. */
export type LeftOut = LeftOutRequests & Pick<LoggedRequest, 'createdAt'>;
