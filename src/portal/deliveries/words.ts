/** Explains a failed attempt to the person who runs the receiver, and what to check. */
const failures: Readonly<Record<string, string>> = {
  timeout: 'No answer in time: answer 2xx first and process the event afterwards.',
  connection: 'The receiver could not be reached: is it running, and is its address public?',
  tls: 'Its certificate was not accepted: is it valid for this host, with its whole chain?',
  protocol: 'The answer was not valid HTTP.',
  loop: 'The address leads back to this service.',
  url: 'The address can no longer be used: set another.',
  secret: 'The webhook secret could not be opened here: ask the operators.',
  busy: 'Too many deliveries to this host were running at once; the delivery is retried.',
};

export function failureWords(failure: string, status: number | null): string {
  if (failure === 'status')
    return `It answered ${status ?? 'without a status'}; only 2xx counts as delivered.`;
  return failures[failure] ?? `The attempt failed: ${failure}.`;
}

/** One or two words, shown beside a delivery. */
export function resultWords(result: string | null): string {
  if (result === null) return 'not tried yet';
  if (/^\d+$/.test(result)) return result;
  return result === 'connection' ? 'not reached' : result;
}
