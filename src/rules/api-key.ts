/** First and last characters of a key, for people to recognise it. `lastFour` null: the key was made before they were kept. */
export function showKey({ hint, lastFour }: { hint: string; lastFour: string | null }): string {
  return `${hint}…${lastFour ?? ''}`;
}
