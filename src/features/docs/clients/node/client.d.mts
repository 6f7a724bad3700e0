import type { ErrorCode } from './api.mjs';

export interface Settings {
  /** Address of the service, without `/api/v1`: https, or http to this machine. */
  baseUrl: string;
  apiKey: string;
  /** Takes any http address, over which others can read the key and the messages; false unless given. */
  allowHttp?: boolean;
  /** How often a call is tried at most; 5 unless given, 1 for no repetition. */
  tries?: number;
  /** How long one try may take; a send can take about 30 s, the upload of a large file minutes. 60,000 unless given. */
  timeoutMs?: number;
  /** A service that asks to wait longer is not waited for. 60,000 unless given. */
  longestWaitMs?: number;
}

type Nullable<T> = T | null;

export interface CallOptions {
  signal?: AbortSignal;
}

export interface SendOptions extends CallOptions {
  /** Your own key, if the same message may be sent by another process too; otherwise each call has a new one. */
  idempotencyKey?: string;
}

/** Bytes of a file, or what they are read of: a stream, or a file that is open. */
export type FileContent =
  | Blob
  | Uint8Array
  | ArrayBuffer
  | AsyncIterable<Uint8Array>
  | { readFile(): Promise<Uint8Array> };

/**
 * A path, or bytes; or the name that is shown, bytes, and their type. Without a type, `mime_type` or the ending of the name says it.
 */
export type GivenFile = string | URL | FileContent | [name: string, content: FileContent, type?: string];

export interface FieldError {
  loc: (string | number)[];
  msg: string;
  type: string;
}

/** A refusal with a code; the other members depend on it. */
export interface CodedDetail {
  code: ErrorCode;
  message?: string;
  [member: string]: unknown;
}

/** A call that the service refused, or that got no answer: then `status` is null. */
export declare class TrunklineError extends Error {
  readonly status: number | null;
  /** A sentence, an object with `code`, or a list of field errors; null: the service has said nothing. */
  readonly detail: string | CodedDetail | FieldError[] | null;
  readonly code: Nullable<ErrorCode>;
  readonly requestId: string | null;
  /** Seconds after which the call can be repeated, if the service has said so. */
  readonly retryAfter: number | null;
}

/** A list: iterate over its items, or over its pages. */
export declare class Pages<Item, Page> implements AsyncIterable<Item> {
  [Symbol.asyncIterator](): AsyncIterator<Item>;
  pages(): AsyncIterable<Page>;
  /** The first page; without `limit` most lists are whole. */
  first(): Promise<Page>;
}

export declare class Client {
  constructor(settings: Settings);
}
