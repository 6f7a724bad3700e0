/** A sentence of the API as a person reads it: without the words for programs, codes apart. */
interface PlainSentence {
  words: string;
  /** What to name to those who look into it; null: nothing. */
  details: string | null;
}

/** As the pages call what the API has a field for. */
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
