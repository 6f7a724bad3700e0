/** How far back lists go, for a search without results. [operator-interface §2, DELIVERY_LOG_DAYS] */
export function keptWords(logDays: number): string {
  return `What is older than ${logDays === 1 ? 'a day' : `${logDays} days`} is not kept.`;
}
