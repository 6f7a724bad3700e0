/** An entry point for untrusted bytes. */
export interface Target {
  /** Ordinary inputs. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** Maximal length of an input. */
  readonly maxBytes: number;
  /** An input without an answer within this time hangs; 15 s by default. */
  readonly hangsAfterMs?: number;
  /**
   * Gives an input to the service, and returns a word for the outcome: a new word is worth as much as new code. Rejects with an error
   * if the service may not answer like that.
   */
  run(input: Buffer): Promise<string>;
  /** Cleans up what the inputs have left in the parts around the service. */
  tidy?(): Promise<void>;
  close(): Promise<void>;
}

export type OpenTarget = () => Promise<Target>;
