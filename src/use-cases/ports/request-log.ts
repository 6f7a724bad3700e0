/** Calls of the API, for who asks why a program got its answer. Nothing of what was said in them. */
import type { Page, PageRequest } from './paging.ts';

export interface LoggedRequest {
  id: string;
  accountId: string;
  apiKeyId: string;
  method: string;
  /** The pattern of its path. */
  route: string;
  status: number;
  isFailed: boolean;
  /** Of the fault it was refused for; null: it was not. */
  code: string | null;
  requestId: string;
  durationMs: number;
  /** Not a request, but how many before it were left out. */
  leftOut: LeftOutRequests | null;
  createdAt: number;
}

export interface LeftOutRequests {
  succeeded: number;
  failed: number;
}

/** Left out: whatever it is. */
export interface RequestFilter {
  status?: number;
  isFailed?: boolean;
  route?: string;
  requestId?: string;
}

export interface RequestLogStore {
  /** May be repeated. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Newest first, nothing that was made before `since` (ms). */
  list(
    accountId: string,
    filter: RequestFilter & { since: number },
    page: PageRequest,
  ): Promise<Page<LoggedRequest>>;
  /** Of each account the newest `most` stay, and of those what was made at `since` or later. Answers how many went. */
  trim(most: number, since: number): Promise<number>;
}
