import { asCode, asRecord, asText } from './read.ts';
import type { Json } from './read.ts';

/** The error envelope of every endpoint. [upstream §3.4] */
interface WireError {
  error: {
    message: string;
    type: string;
    code: number;
    error_subcode?: number;
    is_transient?: boolean;
    error_user_title?: string;
    error_user_msg?: string;
    error_data?: string | { messaging_product?: string; details?: string };
    fbtrace_id?: string;
  };
}

/** The parsed envelope. Every text is upstream's and may contain a token. */
export interface GraphError {
  code: number | null;
  subcode: number | null;
  message: string;
  /** Texts for users, where upstream has them. */
  userTitle: string | null;
  userMessage: string | null;
  details: string | null;
  traceId: string | null;
}

/** The JSON object in an answer's body; null for HTML, an empty body or truncated JSON. */
export function parseObject(text: string): Json | null {
  try {
    return asRecord(JSON.parse(text));
  } catch (thrown) {
    if (thrown instanceof SyntaxError) return null;
    throw thrown;
  }
}

/** The error object of an answer. Checked before the status, because pages have answered 200 with an error. [upstream §3.4] */
export function readGraphError(answer: Json): GraphError | null {
  const error = asRecord(answer['error']);
  if (error === null) return null;
  const data = error['error_data'];
  return {
    code: asCode(error['code']),
    subcode: asCode(error['error_subcode']),
    message: asText(error['message']) ?? '',
    userTitle: asText(error['error_user_title']),
    userMessage: asText(error['error_user_msg']) ?? asText(error['error_user_title']),
    details: asText(asRecord(data)?.['details']) ?? asText(data),
    traceId: asText(error['fbtrace_id']),
  };
}

export const sampleError = {
  error: {
    message: '(#131030) Recipient phone number not in allowed list',
    type: 'OAuthException',
    code: 131030,
    error_subcode: 2655007,
    is_transient: false,
    error_data: {
      messaging_product: 'whatsapp',
      details: 'Recipient phone number not in allowed list: add it and try again.',
    },
    fbtrace_id: 'AbCdEfGhIjKlMnOpQrStUvW',
  },
} satisfies WireError;
