/** One thing upstream tells about, before it is put into a POST. `answered` hears each answer (a status code, 0 for none), `settled` the last. */
export type WebhookEvent = {
  readonly object: string;
  readonly entryId: string;
  readonly section: 'changes' | 'messaging' | 'standby';
  readonly field: string;
  readonly kind: string;
  readonly item: unknown;
  /** Upstream's clock, unix ms; null leaves the entry's time out. */
  readonly time: number | null;
  readonly url: string;
  readonly settled?: (answer: number) => void;
  readonly answered?: (answer: number) => void;
};
