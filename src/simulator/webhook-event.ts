/**
 * One event that upstream reports, before it becomes part of a POST. `answered` is called for each answer (a status code, 0 for none),
 * `settled` for the last.
 */
export type WebhookEvent = {
  readonly object: string;
  readonly entryId: string;
  readonly section: 'changes' | 'messaging' | 'standby';
  readonly field: string;
  readonly kind: string;
  readonly item: unknown;
  /** Upstream's time, unix ms; null omits the entry's time. */
  readonly time: number | null;
  readonly url: string;
  readonly settled?: (answer: number) => void;
  readonly answered?: (answer: number) => void;
};
