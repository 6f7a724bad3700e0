/** Generates the page of all error codes from the table in the code. */
import { codeTable } from '../../src/rules/messages/error-table.ts';
import type { CodeRow } from '../../src/rules/messages/error-table.ts';

const head = `# Error codes of sends

Every code with which upstream answers a send, as the service understands it. Codes that are not listed are retried and passed on unchanged.
[The contract](contract.md#send-error-codes) guarantees the codes that it lists.

- **permanent**: never retried; the send is \`failed\`. **transient**: certainly not sent; retried. **ambiguous**: may have been sent;
  confirmed by an event of upstream, or sent once more.
- **waits**: which other sends are held back meanwhile: those to this person (pair), or all sends of the channel.
- **channel**: \`reconnect\`: no send succeeds until somebody reconnects the channel, and its owner gets a mail. \`unregistered\`: the same,
  but without a mail while the service registers the number by itself, or if it is also on a phone, which does. \`restricted\`: upstream denies the channel something. A channel is never deactivated because of a code.
- **sentence**: the beginning of \`error\`; upstream's own text follows in brackets, without anything that could be a secret.

The service refuses some calls itself, with an HTTP status and an object with a \`code\`: \`text_too_long\`, \`invalid_recipient\`,
\`recipient_equals_sender\`, \`unknown_message\`, \`content_too_long\`, \`unsupported_content\`, \`wrong_channel_type\` (400) and \`scope_missing\` (403: the key lacks the scope in \`scope\`). [The contract](contract.md#errors) describes them.

| code | class | waits | channel | sentence; what to do | for a file |
|---|---|---|---|---|---|
`;

export function errorPage(): string {
  return `${head}${codeTable.map(rowOf).join('\n')}\n`;
}

function rowOf(row: CodeRow): string {
  const { code, upTo, subcode, alone } = row;
  const sub = alone === true ? `${subcode} (also under ${code})` : `${code}/${subcode}`;
  const name = subcode !== undefined ? sub : upTo === undefined ? String(code) : `${code}–${upTo}`;
  const { pause = '', channel = '', sentence, hint, fileHint = '' } = row;
  const says = hint === undefined ? sentence : `${sentence}; ${hint}`;
  return `| ${[name, row.class, pause, channel, says, fileHint].join(' | ')} |`.replaceAll('  ', ' ');
}
