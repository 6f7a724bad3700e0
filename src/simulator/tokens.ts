import { createHmac, timingSafeEqual } from 'node:crypto';
import { GraphError } from './graph-error.ts';
import { newSecret } from './ids.ts';
import type { Targets } from './model.ts';
import { tokenDeaths, type TokenDeath } from './token-deaths.ts';

/** Seconds that a time-stamped proof is valid [upstream protocol 1.3]. */
const proofLifeS = 300;

type TokenKind = 'app' | 'user' | 'page' | 'business';

/** `subject`: id of the app, person, page or business account that the token is for. `expiresAt` in unix ms, 0: never. */
export type Token = {
  readonly text: string;
  readonly kind: TokenKind;
  readonly subject: string;
  readonly login: string;
  scopes: readonly string[];
  readonly declined: readonly string[];
  /** Scopes that were granted for some of the assets only. */
  readonly targets: Targets;
  assets: ReadonlySet<string>;
  /** Of a system user of the client's business, not of a person. */
  readonly isSystem: boolean;
  /** Granted for all assets, also for later ones. */
  readonly isOpen: boolean;
  /** Given by the simulator itself, not by a dialog. */
  readonly isFixed: boolean;
  readonly issuedAt: number;
  expiresAt: number;
  state: 'valid' | TokenDeath;
};

type NewToken = Omit<Token, 'text' | 'issuedAt' | 'state' | 'isFixed' | 'isSystem' | 'isOpen'> & {
  readonly text?: string | undefined;
  readonly isSystem?: boolean | undefined;
  readonly isOpen?: boolean | undefined;
};

/** Whether the token has the scope for this asset. */
export function hasScope({ scopes, targets }: Token, scope: string, asset: string): boolean {
  return scopes.includes(scope) && (targets[scope]?.includes(asset) ?? true);
}

/** All tokens ever issued. An invalid one stays known, because upstream says why it is invalid. */
export class TokenBook {
  readonly #app: { readonly id: string; readonly secret: string };
  readonly #settings: { readonly page_statuses: boolean };
  readonly #now: () => number;
  readonly #byText = new Map<string, Token>();
  readonly #proofs = new Map<string, string>();
  #appToken: Token;

  /** `settings` is read at each refusal, because it may change. */
  constructor(
    app: { readonly id: string; readonly secret: string },
    settings: { readonly page_statuses: boolean },
    now: () => number,
  ) {
    this.#app = app;
    this.#settings = settings;
    this.#now = now;
    this.#appToken = tokenOfApp(app);
  }

  /** The app has another id or secret. */
  renewApp(): void {
    this.#appToken = tokenOfApp(this.#app);
    this.#proofs.clear();
  }

  mint(fresh: NewToken): Token {
    const text = fresh.text ?? newSecret('EAA');
    const { isSystem = false, isOpen = false } = fresh;
    const isFixed = fresh.text !== undefined;
    const token: Token = { ...fresh, text, isSystem, isOpen, isFixed, issuedAt: this.#now(), state: 'valid' };
    this.#byText.set(text, token);
    return token;
  }

  find(text: string): Token | undefined {
    return text === this.#appToken.text ? this.#appToken : this.#byText.get(text);
  }

  all(): Iterable<Token> {
    return this.#byText.values();
  }

  clear(): void {
    this.#byText.clear();
    this.#proofs.clear();
  }

  /** Invalidates every token that the filter selects; returns how many. */
  kill(state: TokenDeath, dies: (token: Token) => boolean): number {
    let killed = 0;
    for (const token of this.#byText.values()) {
      if (!dies(token)) continue;
      token.state = state;
      killed += 1;
    }
    return killed;
  }

  /** Why the token is invalid, as upstream words it; undefined: it is valid. */
  fault(token: Token | undefined): GraphError | undefined {
    if (!token)
      return new GraphError({ code: 190, message: 'Invalid OAuth access token - Cannot parse access token' });
    const isOver = token.expiresAt !== 0 && token.expiresAt <= this.#now();
    if (token.state === 'valid' && !isOver) return undefined;
    const death = tokenDeaths[token.state === 'valid' ? 'expired' : token.state];
    // [upstream protocol 3.4] Calls of pages answer 400.
    const status = token.kind !== 'business' && this.#settings.page_statuses ? 400 : 401;
    return new GraphError({ code: 190, status, ...death });
  }

  /**
   * Returns the valid token of a call. Checks its proof if there is one: classic, or time-stamped with `appsecret_time` in unix seconds
   * [upstream protocol 1.3]. Throws GraphError 190, or 100 for the proof.
   */
  authenticate(
    text: string | undefined,
    proof: string | undefined,
    time: string | undefined,
    isProofNeeded: boolean,
  ): Token {
    if (text === undefined || text === '') {
      throw new GraphError({
        code: 190,
        status: 401,
        message: 'An access token is required to request this resource.',
      });
    }
    const token = this.find(text);
    const fault = this.fault(token);
    if (fault || !token) throw fault ?? new GraphError({ code: 190 });
    if (proof !== undefined) this.#checkProof(token, proof, time);
    else if (isProofNeeded && token.kind !== 'app') {
      throw proofError('API calls from the server require an appsecret_proof argument');
    }
    return token;
  }

  #checkProof(token: Token, proof: string, time: string | undefined): void {
    if (time !== undefined && Math.abs(this.#now() / 1000 - Number(time)) <= proofLifeS) {
      if (isSame(proof, this.proof(`${token.text}|${time}`))) return;
    } else if (time === undefined && isSame(proof, this.#classicProof(token.text))) return;
    throw proofError('Invalid appsecret_proof provided in the API argument');
  }

  /** Lowercase hex HMAC-SHA256 with the app secret. */
  proof(message: string): string {
    return createHmac('sha256', this.#app.secret).update(message).digest('hex');
  }

  // Every send of a client with proofs carries the same proof: computing it once keeps the send path fast.
  #classicProof(text: string): string {
    const known = this.#proofs.get(text);
    if (known !== undefined) return known;
    const proof = this.proof(text);
    this.#proofs.set(text, proof);
    return proof;
  }
}

function tokenOfApp({ id, secret }: { readonly id: string; readonly secret: string }): Token {
  return {
    text: `${id}|${secret}`,
    kind: 'app',
    subject: id,
    login: '',
    scopes: [],
    declined: [],
    targets: {},
    assets: new Set(),
    isSystem: false,
    isOpen: false,
    isFixed: true,
    issuedAt: 0,
    expiresAt: 0,
    state: 'valid',
  };
}

function proofError(message: string): GraphError {
  return new GraphError({ code: 100, message, type: 'GraphMethodException' });
}

function isSame(given: string, right: string): boolean {
  return (
    given.length === right.length &&
    timingSafeEqual(Buffer.from(given, 'latin1'), Buffer.from(right, 'latin1'))
  );
}
