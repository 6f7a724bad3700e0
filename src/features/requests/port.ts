/** Log of API requests, for debugging a client; without their content. */
import type { Page, PageRequest } from '../../kernel/paging.ts';

export interface LoggedRequest {
  id: string;
  accountId: string;
  apiKeyId: string;
  method: string;
  /** Pattern of the path. */
  route: string;
  status: number;
  isFailed: boolean;
  /** Code of the fault that refused the request; null: not refused. */
  code: string | null;
  requestId: string;
  durationMs: number;
  /** Set on an entry that is no request but counts omitted requests before it. */
  leftOut: LeftOutRequests | null;
  createdAt: number;
}

export interface LeftOutRequests {
  succeeded: number;
  failed: number;
}

/** An omitted field matches everything. */
export interface RequestFilter {
  status?: number;
  isFailed?: boolean;
  route?: string;
  requestId?: string;
}

export interface RequestLogStore {
  /** Idempotent. */
  add(requests: readonly LoggedRequest[]): Promise<void>;
  /** Newest first, created at `since` (ms) or later. */
  list(
    accountId: string,
    filter: RequestFilter & { since: number },
    page: PageRequest,
  ): Promise<Page<LoggedRequest>>;
  /** Keeps each account's newest `most` entries that were created at `since` (ms) or later. Returns the number of dropped entries. */
  trim(most: number, since: number, stopping?: AbortSignal): Promise<number>;
}
