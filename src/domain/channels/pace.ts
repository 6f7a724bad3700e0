/** How fast messages may follow each other: one in `gapMs` for good, up to `burst` of them at once after a rest. */
export interface Pace {
  gapMs: number;
  burst: number;
}
