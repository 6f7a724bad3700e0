/** HTTP calls as a client makes them. */
export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  /** The parsed body; null if it is not JSON. Untyped, because tests read any member of it. */
  // oxlint-disable-next-line typescript/no-explicit-any
  body: any;
}

export interface CallOptions {
  key?: string | undefined;
  body?: unknown;
  /** Sent unchanged, instead of `body`. */
  raw?: string | Uint8Array;
  headers?: Record<string, string>;
}

export async function call(method: string, url: string, options: CallOptions = {}): Promise<Answer> {
  const { key, body, raw, headers = {} } = options;
  const isForm = body instanceof FormData;
  const sent = raw ?? (body === undefined || isForm ? undefined : JSON.stringify(body));
  const response = await fetch(url, {
    method,
    redirect: 'manual',
    headers: {
      ...(key === undefined ? {} : { 'x-api-key': key }),
      ...(sent === undefined ? {} : { 'content-type': 'application/json' }),
      ...headers,
    },
    ...(isForm ? { body } : {}),
    ...(sent === undefined ? {} : { body: typeof sent === 'string' ? sent : Uint8Array.from(sent) }),
  });
  const text = await response.text();
  return { status: response.status, headers: response.headers, text, body: parsed(text) };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
