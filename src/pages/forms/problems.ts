import { Fault } from '../../kernel/faults.ts';
import type { FieldError } from '../../kernel/faults.ts';

/** What is wrong with a form: by field (by name, and by its path joined with dots), and for the form as a whole. */
export interface Problems {
  status: number;
  fields: Readonly<Record<string, string>>;
  all: string | null;
  /** Codes for support. */
  details?: string | null;
}

export const noProblems: Problems = { status: 200, fields: {}, all: null };

export function problem(status: number, all: string): Problems {
  return { status, fields: {}, all };
}

/** Converts a refusal into words for the person who filled in the form. Rethrows what the person can't fix. */
export function readProblems(thrown: unknown): Problems {
  if (!(thrown instanceof Fault) || thrown.status === 500) throw thrown;
  const { status, detail } = thrown;
  if (thrown.code === 'rate_limited') return problem(status, waitSentence(thrown.retryAfterSeconds ?? 60));
  if (!Array.isArray(detail)) {
    const { words, details } = plainSentence(thrown.message);
    return { ...problem(status, words), details };
  }
  const errors: readonly FieldError[] = detail;
  const fields = Object.fromEntries(
    errors.flatMap(({ loc, msg }) =>
      [loc[1] ?? '', loc.slice(1).join('.')].map((key) => [String(key), plainSentence(msg).words]),
    ),
  );
  return { status, fields, all: null };
}

/** Runs `work`; returns its result or its problems. */
export async function trying<T>(work: () => Promise<T>): Promise<{ done: T } | { problems: Problems }> {
  try {
    return { done: await work() };
  } catch (thrown) {
    return { problems: readProblems(thrown) };
  }
}

function waitSentence(seconds: number): string {
  const minutes = Math.max(1, Math.ceil(seconds / 60));
  return `Too many tries. Please wait ${minutes === 1 ? 'a minute' : `${minutes} minutes`} and try again.`;
}

/** A sentence of the API for people: without terms for programs, and with codes separate. */
interface PlainSentence {
  words: string;
  /** Codes for support; null: none. */
  details: string | null;
}

/** How pages name the fields of the API. */
const fieldNames: Readonly<Record<string, string>> = {
  uri_pattern: 'The address pattern',
  redirect_uri: 'The address',
  webhook_url: 'The address',
  url: 'The address',
  webhook_secret: 'The secret',
};

const codes = / \((code \d+(?:, subcode \d+)?)\)/;

export function plainSentence(said: string): PlainSentence {
  const plain = said
    .replace(/^Value error, /, '')
    .replace(codes, '')
    .replace(/^must be >= /, 'must be at least ')
    .replace(/^must be <= /, 'must be at most ')
    .replace(
      /^Upstream platform error: (no (?:usable )?answer \(.*\))$/,
      'The platform gave $1: what was sent may have been done or not',
    )
    .replace(/^Upstream platform error:/, 'The platform refused this:')
    .replace(/^Upstream\b/, 'The platform')
    .replace(' (upstream: ', ' (the platform says: ')
    .replace(/^(?:url|[a-z]+(?:_[a-z]+)+)(?= )/, (name) => fieldNames[name] ?? 'It')
    .replace('; retry after the time in Retry-After', '; try again later');
  const words = plain.charAt(0).toUpperCase() + plain.slice(1);
  return {
    words: /[\p{L}\p{N})\]"'”]$/u.test(words) ? `${words}.` : words,
    details: codes.exec(said)?.[1] ?? null,
  };
}
