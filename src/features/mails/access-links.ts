/** Mails with a link that grants more than a session does: a session must not read them in the outbox. [faults: 135] */
const kindsWithAccessLink: ReadonlySet<string> = new Set([
  'portal-reset',
  'portal-confirm',
  'portal-invite',
  'portal-address',
]);

export function hasAccessLink({ kind }: { kind: string }): boolean {
  return kindsWithAccessLink.has(kind);
}
