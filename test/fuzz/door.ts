/** A place where bytes of strangers come in. */
export interface Door {
  /** Inputs of everyday. */
  readonly seeds: readonly (string | Uint8Array)[];
  /** No input is longer. */
  readonly maxBytes: number;
  /** An input that is not answered within this hangs; 15 s unless said. */
  readonly hangsAfterMs?: number;
  /**
   * Gives an input to the service, and answers in a word what became of it: a new word is worth as much as new code. Rejects with what is
   * wrong where the answer is none that the service may give.
   */
  run(input: Buffer): Promise<string>;
  /** Gives back what the inputs have left behind in what stands around the service. */
  tidy?(): Promise<void>;
  close(): Promise<void>;
}

export type OpenDoor = () => Promise<Door>;
