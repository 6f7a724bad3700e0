import { redact } from '../../domain/messages/redact.ts';

/**
 * Upstream's text without what was secret in the call, literally or by its looks: upstream quotes tokens in errors.
 * [faults 53]
 */
export function hideSecrets(text: string, secrets: readonly string[]): string {
  let hidden = text;
  for (const secret of secrets) if (secret !== '') hidden = hidden.replaceAll(secret, '[redacted]');
  return redact(hidden);
}
