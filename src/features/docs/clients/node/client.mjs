import { randomUUID } from 'node:crypto';
import { setTimeout as wait } from 'node:timers/promises';
import { readFile } from './files.mjs';
import { settingsFrom } from './settings.mjs';

/** A call that the service refused, or that got no answer: then `status` is null. */
export class TrunklineError extends Error {
  constructor(message, { status = null, detail = null, requestId = null, retryAfter = null, cause } = {}) {
    super(message, { cause });
    this.name = 'TrunklineError';
    this.status = status;
    /** A sentence, an object with `code`, or a list of field errors. */
    this.detail = detail;
    /** For some refusals, what a program can act on. */
    this.code = detail?.code ?? null;
    this.requestId = requestId;
    /** Seconds after which the call can be repeated, if the service has said so. */
    this.retryAfter = retryAfter;
  }
}

/** A list: iterate over its items; or over its pages, which have what else the answer has. */
export class Pages {
  #read;
  #items;
  constructor(read, items) {
    this.#read = read;
    this.#items = items;
  }

  /** Each answer as a whole. Only `next_cursor` null is the end: a page can be empty. */
  async *pages() {
    let cursor;
    do {
      const page = await this.#read(cursor);
      yield page;
      cursor = page.next_cursor;
    } while (typeof cursor === 'string');
  }

  async *[Symbol.asyncIterator]() {
    for await (const page of this.pages()) yield* page[this.#items];
  }

  /** The first page; without `limit` most lists are whole. */
  first() {
    return this.#read();
  }
}

export class Client {
  #settings;

  constructor(settings) {
    const { tries = 5, timeoutMs = 60_000, longestWaitMs = 60_000 } = settings ?? {};
    this.#settings = { ...settingsFrom(settings ?? {}), tries, timeoutMs, longestWaitMs };
  }

  /** Calls one operation, again where that can do no harm. */
  async call(operation, input = {}, { idempotencyKey = randomUUID(), signal } = {}) {
    const headers = { 'X-API-Key': this.#settings.key };
    if (operation.once) headers['Idempotency-Key'] = idempotencyKey;
    const { url, body } = locate(this.#settings.base, operation, await withFile(input, operation));
    if (body !== undefined)
      headers['Content-Type'] = typeof body === 'string' ? 'application/json' : body.type;
    for (let tried = 1; ; tried += 1) {
      try {
        return await this.#try(operation, url, { method: operation.method, headers, body }, signal);
      } catch (error) {
        const pause = this.#pauseAfter(error, operation, tried);
        if (signal?.aborted || pause === null) throw error;
        await wait(pause, undefined, { signal });
      }
    }
  }

  list(operation, input = {}, options = {}) {
    const read = (cursor = input.cursor) => this.call(operation, { ...input, cursor }, options);
    return new Pages(read, operation.list);
  }

  async #try(operation, url, request, signal) {
    const late = new AbortController();
    const timer = setTimeout(() => late.abort(new Error('No answer in time')), this.#settings.timeoutMs);
    const either = signal === undefined ? late.signal : AbortSignal.any([late.signal, signal]);
    try {
      // A redirect would carry the key elsewhere.
      const response = await fetch(url, { ...request, redirect: 'manual', signal: either });
      if (response.ok && operation.file) return response;
      const text = await response.text();
      if (response.ok) return JSON.parse(text);
      throw refusal(response, text);
    } catch (error) {
      if (error instanceof TrunklineError) throw error;
      throw new TrunklineError(`No usable answer: ${reasonOf(error)}`, { cause: error });
    } finally {
      clearTimeout(timer);
    }
  }

  /** Milliseconds until the next try; null: there is none. */
  #pauseAfter({ status, retryAfter }, { method, once, repeatable }, tried) {
    const isRepeatable = method === 'GET' || once === true || repeatable === true;
    if (tried >= this.#settings.tries || !(status === 429 || (isRepeatable && (status ?? 500) >= 500)))
      return null;
    const least = retryAfter === null ? 250 * 2 ** tried : retryAfter * 1000;
    return least > this.#settings.longestWaitMs ? null : least + Math.random() * 250;
  }
}

async function withFile(input, { upload }) {
  return upload === undefined ? input : { ...input, [upload]: await readFile(input[upload]) };
}

function locate(base, { path, takes }, input) {
  const given = new Map(Object.entries(input));
  const filled = path.replaceAll(/\{(\w+)\}/g, (_, name) => {
    const value = String(given.get(name) ?? '');
    given.delete(name);
    if (/^\.{0,2}$/.test(value)) throw new TypeError(`${name} must be given, and must not be dots`);
    return encodeURIComponent(value);
  });
  if (takes === 'body') return { url: base + filled, body: JSON.stringify(Object.fromEntries(given)) };
  const query = [...given].filter(([, value]) => value !== undefined && value !== null);
  if (takes === 'form') return { url: base + filled, body: formOf(query) };
  return { url: query.length === 0 ? base + filled : `${base}${filled}?${new URLSearchParams(query)}` };
}

/** Fields come first: the service reads them before the file arrives. `FormData` would drop an empty name. */
function formOf(given) {
  const boundary = randomUUID();
  const isFile = ([, value]) => value instanceof File;
  const parts = [...given]
    .sort((a, b) => isFile(a) - isFile(b))
    .flatMap(([name, value]) => [`--${boundary}\r\n${headOf(name, value)}\r\n\r\n`, value, '\r\n']);
  return new Blob([...parts, `--${boundary}--\r\n`], { type: `multipart/form-data; boundary=${boundary}` });
}

function headOf(name, value) {
  const head = `Content-Disposition: form-data; name="${name}"`;
  if (typeof value === 'object' && !(value instanceof File)) throw new TypeError(`${name} must be a text`);
  if (!(value instanceof File)) return head;
  const type = value.type === '' ? '' : `\r\nContent-Type: ${value.type}`;
  return `${head}; filename="${value.name.replaceAll(/["\r\n]/g, encodeURIComponent)}"${type}`;
}

function refusal({ status, headers }, text) {
  const detail = detailIn(text);
  const after = headers.get('retry-after') ?? '';
  return new TrunklineError(`${status}: ${sentenceOf(detail)}`, {
    status,
    detail,
    requestId: headers.get('x-request-id'),
    retryAfter: /^\d{1,9}$/.test(after) ? Number(after) : null,
  });
}

/** A detail of any form in words, for people: programs look at `code` and `detail`. */
function sentenceOf(detail) {
  if (Array.isArray(detail))
    return detail
      .filter(isObject)
      .map(({ loc, msg }) => `${[loc].flat().join('.')}: ${msg}`)
      .join('; ');
  if (!isObject(detail)) return String(detail);
  if (typeof detail.message !== 'string') return JSON.stringify(detail);
  return typeof detail.hint === 'string' ? `${detail.message}. ${detail.hint}` : detail.message;
}

function isObject(value) {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** null: somebody between answered, not the service. */
function detailIn(text) {
  try {
    return JSON.parse(text).detail ?? null;
  } catch {
    return null;
  }
}

function reasonOf(error) {
  return error?.cause?.message || error?.message || String(error);
}
