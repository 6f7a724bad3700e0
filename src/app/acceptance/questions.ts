/** What nobody knows of the platform, and what a run says of it. `docs/operating/acceptance.md` has the same list; a test compares them. */
import type { Finding } from './run.ts';

interface OpenQuestion {
  id: string;
  asks: string;
  /** Why no step settles it; null: a step does. */
  why: string | null;
}

export const openQuestions: readonly OpenQuestion[] = [
  { id: 'U1', asks: 'which form of the sign-up the dialog shows', why: null },
  { id: 'U2', asks: 'whether the sign-up offers dual use', why: null },
  { id: 'U3', asks: "scopes of today's tokens, their order and end", why: null },
  { id: 'U4', asks: "how long the redirect's code lives", why: null },
  { id: 'U5', asks: "renewal of a sign-up's token", why: "its first renewal is 40 days away; the channel's health shows it" },
  { id: 'U6', asks: '`register` of a dual-use number', why: "may harm the phone's app: do not try" },
  { id: 'U7', asks: 'code of a send without access', why: null },
  { id: 'U8', asks: 'code for a wrong user id', why: null },
  { id: 'U9', asks: 'HTTP status of throttles', why: null },
  { id: 'U10', asks: 'deletion of an unknown template', why: null },
  { id: 'U11', asks: 'edit of an approved template', why: null },
  { id: 'U12', asks: 'what v27 changes', why: 'read the changelog' },
  { id: 'U13', asks: 'hosts of files', why: null },
  { id: 'pages 1', asks: '`auth_type=rerequest` with a configuration', why: 'a property of the login: no call of a channel shows it' },
  { id: 'pages 2', asks: "calls that a system user's token answers", why: 'the service goes on with what answers: a connection shows only that one way did' },
  { id: 'pages 3', asks: 'what v26 removed', why: 'read the changelog' },
  { id: 'pages 4', asks: 'what arrives of an edited message', why: null },
  { id: 'pages 5', asks: '1,000 bytes of a photoapp text', why: null },
  { id: 'pages 6', asks: '`HUMAN_AGENT` without the feature', why: null },
  { id: 'pages 7', asks: 'how long webhooks are retried', why: 'the service would have to fail for days' },
  { id: 'pages 8', asks: 'tokens of pages after 90 days', why: "shows after 90 days, in the channel's health" },
  { id: 'pages 9', asks: 'hosts of files', why: null },
  { id: 'pages 10', asks: 'errors 36007, 1200 and -1', why: 'nobody knows how to cause them' },
  { id: 'pages 11', asks: 'the unified login', why: 'a property of the login: no call of a channel shows it' },
  { id: 'pages 12', asks: "the app's field for photoapp edits", why: 'the service leaves out what upstream refuses: read `GET /{app}/subscriptions`' },
  { id: 'pages 13', asks: '`scope` of a live app', why: 'needs a person without a role and no configuration' },
  { id: 'pages 14', asks: 'whether photoapp sends need `pages_messaging`', why: 'the service connects no photo account without it: its page is subscribed to messages' },
]; // oxfmt-ignore

/** What this run says of the question. */
export function settledHow({ id, why }: OpenQuestion, findings: readonly Finding[]): string {
  const found = findings.filter(({ settles }) => settles === id);
  const tried = found.filter(({ verdict }) => verdict !== 'skipped');
  if (tried.length > 0) return tried.map(({ step, seen }) => `${step}: ${seen}`).join('; ');
  if (why !== null) return `not settled: ${why}`;
  return found.length > 0
    ? 'not settled: its step was skipped'
    : 'not settled: a step of another kind of channel';
}
