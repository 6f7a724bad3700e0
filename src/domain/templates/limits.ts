/** How often upstream lets a business account do what, and when the next time is. Times in ms. [spec: Limits; upstream §6.3] */

/** Windows of the limits. [operator-interface §2, TEMPLATE_CREATE_WINDOW_MS] */
export interface TemplateWindows {
  templateCreateWindowMs: number;
  templateEditCooldownMs: number;
  templateEditWindowMs: number;
  templateNameBlockMs: number;
}

/** At most `max` uses within `ms`. */
export interface Window {
  ms: number;
  max: number;
}

export interface Use {
  id: string;
  at: number;
}

const creationsPerWindow = 100;
const editsPerWindow = 10;

/** 100 creations per business account and hour. */
export function creationWindows({ templateCreateWindowMs }: TemplateWindows): Window[] {
  return [{ ms: templateCreateWindowMs, max: creationsPerWindow }];
}

/** Edits of an approved template: one per 24 hours and ten per 30 days. */
export function editWindows({ templateEditCooldownMs, templateEditWindowMs }: TemplateWindows): Window[] {
  return [
    { ms: templateEditCooldownMs, max: 1 },
    { ms: templateEditWindowMs, max: editsPerWindow },
  ];
}

/** When one more use is within every window: `now` or later. */
export function freeAt(uses: readonly Use[], windows: readonly Window[], now: number): number {
  const times = uses.map(({ at }) => at).toSorted((a, b) => b - a);
  const waits = windows.map(({ ms, max }) => {
    const oldestThatCounts = times[max - 1];
    return oldestThatCounts === undefined ? now : oldestThatCounts + ms;
  });
  return Math.max(now, ...waits);
}

/** Uses that still count in one of the windows, the newest `max` of any of them. */
export function stillCounting(uses: readonly Use[], windows: readonly Window[], now: number): Use[] {
  const longest = Math.max(0, ...windows.map(({ ms }) => ms));
  const max = Math.max(1, ...windows.map((window) => window.max));
  const counting = uses.filter(({ at }) => at + longest > now);
  return counting.toSorted((a, b) => a.at - b.at).slice(-max);
}

/** Names of the counters. All are upstream's own, so that two of our accounts on one business account share them. */
export const limitKeys = {
  creations: (businessAccountId: string) => `create:${businessAccountId}`,
  edits: (businessAccountId: string, upstreamId: string) => `edit:${businessAccountId}:${upstreamId}`,
  /** When an approved template of the name was deleted, in whatever language. */
  deleted: (businessAccountId: string, name: string) => `deleted:${businessAccountId}:${name}`,
  name: (businessAccountId: string, name: string) => `name:${businessAccountId}:${name}`,
  language: (businessAccountId: string, name: string, language: string) =>
    `name:${businessAccountId}:${name}:${language}`,
};
