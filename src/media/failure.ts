/** Why a download failed: a code for our log, a sentence for the client, and whether a retry may succeed. */

const causes = {
  absent: ['Upstream no longer has the file', false],
  // [upstream §5.1] An address ends after minutes, and a node may be late: the node is asked again.
  'not-there': ['Upstream no longer has the file', true],
  // [upstream §5.1] An expired URL can be requested again; one that came with the message cannot.
  expired: ['The address of the file has expired', true],
  forbidden: ['Upstream named an address from which this service does not fetch files', false],
  token: ['Upstream refuses the access token of the channel; reconnect the channel', false],
  'not-located': ['The file could not be downloaded from upstream', true],
  status: ['The file could not be downloaded from upstream', true],
  connection: ['The file could not be downloaded from upstream', true],
  timeout: ['Upstream sent the file too slowly', true],
  'cut-off': ['Upstream closed the connection before the end of the file', true],
  empty: ['Upstream sent an empty file', true],
  'too-large': ['The file is larger than this service accepts', false],
  'wrong-hash': ['The file does not have the SHA-256 that upstream states', true],
  'wrong-size': ['The file does not have the size that upstream states', true],
  quota: [
    'The channel or its account has as many files here as it may have; older ones are erased when they expire',
    false,
  ],
  'no-room': ['The service has no room for files at present', false],
  storage: ['The file could not be stored', true],
} as const satisfies Record<string, readonly [error: string, mayPass: boolean]>;

export type Cause = keyof typeof causes;

export class Failure extends Error {
  override readonly name = 'Failure';
  readonly why: Cause;
  /** The host that files are not fetched from, for our log: an operator can allow it. */
  readonly host: string | null;

  /** `options.cause` is for our log. */
  constructor(why: Cause, { host = null, ...options }: ErrorOptions & { host?: string | null } = {}) {
    super(why, options);
    this.why = why;
    this.host = host;
  }

  static ofStatus(status: number): Failure {
    if (status === 401 || status === 403) return new Failure('expired');
    return new Failure(status === 404 || status === 410 ? 'not-there' : 'status');
  }

  get error(): string {
    return causes[this.why][0];
  }

  get mayPass(): boolean {
    return causes[this.why][1];
  }
}
