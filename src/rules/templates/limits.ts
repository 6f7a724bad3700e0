/** Upstream's rate limits of template changes per business account. Times in ms. [spec: Limits; upstream §6.3] */

/** Time windows of the limits. [operator-interface §2, TEMPLATE_CREATE_WINDOW_MS] */
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

/** Earliest time, `now` or later, at which one more use is within every window's limit. */
export function freeAt(uses: readonly Use[], windows: readonly Window[], now: number): number {
  const times = uses.map(({ at }) => at).toSorted((a, b) => b - a);
  const waits = windows.map(({ ms, max }) => {
    const oldestThatCounts = times[max - 1];
    return oldestThatCounts === undefined ? now : oldestThatCounts + ms;
  });
  return Math.max(now, ...waits);
}

/** Uses that still count in one of the windows, at most as many as the highest `max`, newest kept. */
export function stillCounting(uses: readonly Use[], windows: readonly Window[], now: number): Use[] {
  const longest = Math.max(0, ...windows.map(({ ms }) => ms));
  const max = Math.max(1, ...windows.map((window) => window.max));
  const counting = uses.filter(({ at }) => at + longest > now);
  return counting.toSorted((a, b) => a.at - b.at).slice(-max);
}

/** Counter keys. They contain only upstream's ids, so that two of our accounts on one business account share the counters. */
export const limitKeys = {
  creations: (businessAccountId: string) => `create:${businessAccountId}`,
  edits: (businessAccountId: string, upstreamId: string) => `edit:${businessAccountId}:${upstreamId}`,
  /** Last deletion of an approved template with this name, in any language. */
  deleted: (businessAccountId: string, name: string) => `deleted:${businessAccountId}:${name}`,
  name: (businessAccountId: string, name: string) => `name:${businessAccountId}:${name}`,
  language: (businessAccountId: string, name: string, language: string) =>
    `name:${businessAccountId}:${name}:${language}`,
};
