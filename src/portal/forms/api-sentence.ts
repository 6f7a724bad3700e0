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
  webhook_secret: 'The secret',
};

const codes = / \((code \d+(?:, subcode \d+)?)\)/;

export function plainSentence(said: string): PlainSentence {
  const words = said
    .replace(/^Value error, /, '')
    .replace(codes, '')
    .replace(/^Upstream platform error:/, 'The platform refused this:')
    .replace(/^Upstream\b/, 'The platform')
    .replace(' (upstream: ', ' (the platform says: ')
    .replace(/^[a-z]+(?:_[a-z]+)+(?= )/, (name) => fieldNames[name] ?? 'It')
    .replace('; retry after the time in Retry-After', '; try again later');
  return { words: words.charAt(0).toUpperCase() + words.slice(1), details: codes.exec(said)?.[1] ?? null };
}
