/** Generates the page of all error codes from the table in the code. */
import { codeTable } from '../../src/domain/messages/error-table.ts';
import type { CodeRow } from '../../src/domain/messages/error-table.ts';

const head = `# Error codes of sends

Every code that upstream answers a send with, as the service understands it. Made from \`src/domain/messages/error-table.ts\`:
\`WRITE_PAGES=1 npm test -- test/docs/error-codes.test.ts\` writes it, and the test compares. What is not in here is tried again and passes
through unchanged. [The contract](contract.md#send-error-codes) promises the ones that it lists.

- **permanent**: never tried again; the send is \`failed\`. **transient**: certainly not sent, tried again. **ambiguous**: may have been sent;
  confirmed by what upstream tells, or sent once more.
- **waits**: what else is held back meanwhile: the messages to this person (pair), or everything of the channel.
- **channel**: \`reconnect\`: nothing goes through until somebody reconnects it, its owner gets a mail. \`restricted\`: upstream denies it
  something. It is never deactivated.
- **sentence**: the beginning of \`error\`; upstream's own words follow in brackets, without anything that could be a secret.

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
