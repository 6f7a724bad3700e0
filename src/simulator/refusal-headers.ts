import type { GraphError } from './graph-error.ts';

/** The use case that the header names for each throttle code [upstream protocol 3.8]. No `Retry-After` is documented. */
const useCases: Readonly<Record<number, string>> = {
  80001: 'pages',
  80002: 'instagram',
  80006: 'messenger',
  80007: 'whatsapp',
  80008: 'whatsapp_business_management',
  130429: 'whatsapp',
};
const appCodes = new Set([4, 17, 32, 613]);
const spent = { call_count: 100, total_cputime: 25, total_time: 25 };

/** Headers of a refusal: the challenge for an invalid token, the usage for a throttle. */
export function refusalHeaders({ message, refusal }: GraphError): Record<string, string> {
  const { code, regainMinutes = 0, usageId = '610000000000003' } = refusal;
  if (code === 190) {
    // A header takes one line of ASCII; a fault's message may contain anything.
    const shown = message.replace(/[^\x20-\x7e]|"/g, ' ');
    return { 'WWW-Authenticate': `OAuth "Facebook Platform" "invalid_token" "${shown}"` };
  }
  if (appCodes.has(code)) return { 'X-App-Usage': JSON.stringify(spent) };
  const type = useCases[code];
  if (type === undefined) return {};
  const usage = [{ type, ...spent, estimated_time_to_regain_access: regainMinutes }];
  return { 'X-Business-Use-Case-Usage': JSON.stringify({ [usageId]: usage }) };
}
