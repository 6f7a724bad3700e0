/** Tells two texts of an entry apart without revealing them. */
import { createHmac, randomBytes } from 'node:crypto';
import { hostIn } from '../../rules/url.ts';

/** Random per process: before and after of an entry are marked by one process, and nobody can test guesses against an export. */
const markKey = randomBytes(32);

/** `word`: what may be shown. */
export function marked(word: string, text: string): string {
  return `${word} #${createHmac('sha256', markKey).update(text).digest('hex').slice(0, 8)}`;
}

/** Shows the host only. */
export function markedUrl(url: string): string {
  return marked(hostIn(url) ?? 'unreadable', url);
}
