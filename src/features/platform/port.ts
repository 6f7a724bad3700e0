/** What the nodes know together of the app registered upstream: a handful of small records. */

export interface AppNote {
  id: string;
  /** When it was learned, ms. */
  at: number;
  /** JSON; what it holds depends on `id`. Never a secret. */
  said: unknown;
}

export interface AppNoteStore {
  /** Those that exist, in no order. */
  of(ids: readonly string[]): Promise<AppNote[]>;
  /** Replaces the note of the same id. */
  put(note: AppNote): Promise<void>;
}
