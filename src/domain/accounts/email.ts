/** Of an address. [RFC 5321 §4.5.3.1.3] */
export const maxEmail = 254;

/** An address as it is stored and looked for: one account per person, however they spell it. Only a mail can prove more. */
export function emailAsStored(given: string): string {
  return given.trim().toLowerCase();
}
