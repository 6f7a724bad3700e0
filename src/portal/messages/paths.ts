export const messagesPath = '/portal/messages';

/** Everything that was between the account and a person. */
export function personPath(person: string): string {
  return `${messagesPath}?person=${encodeURIComponent(person)}`;
}
