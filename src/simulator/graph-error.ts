/** How a refusal differs from the defaults of its code. `status` is the HTTP status. */
type Refusal = {
  readonly code: number;
  readonly subcode?: number | undefined;
  readonly status?: number | undefined;
  readonly message?: string | undefined;
  readonly details?: string | undefined;
  readonly type?: string | undefined;
  readonly userTitle?: string | undefined;
  readonly userMessage?: string | undefined;
  readonly isTransient?: boolean | undefined;
  /** For a throttle: minutes until calls are accepted again, and the id of the business object that is throttled. */
  readonly regainMinutes?: number | undefined;
  readonly usageId?: string | undefined;
};

const statusByCode: Readonly<Record<number, number>> = {
  0: 401, 2: 503, 3: 500, 4: 429, 190: 401, 803: 404, 80007: 429, 80008: 429, 130429: 429, 131000: 500, 131005: 403,
  131016: 500, 131031: 403, 131045: 500, 131048: 429, 131056: 429, 131057: 500, 132001: 404, 133000: 500, 133004: 503,
  133016: 429,
}; // oxfmt-ignore

const titles: Readonly<Record<number, string>> = {
  0: 'AuthException',
  1: 'An unknown error occurred',
  2: 'Service temporarily unavailable',
  3: 'Application does not have the capability to make this API call',
  4: 'Application request limit reached',
  10: 'Application does not have permission for this action',
  33: 'Parameter value is not valid',
  100: 'Invalid parameter',
  190: 'Invalid OAuth access token - Cannot parse access token',
  200: 'Permissions error',
  368: 'The action attempted has been deemed abusive or is otherwise disallowed',
  551: "This person isn't available right now.",
  613: 'Calls to this api have exceeded the rate limit.',
  803: 'Some of the aliases you requested do not exist',
  80007: 'Rate limit issues',
  80008: 'There have been too many calls to this WhatsApp Business account. Wait a bit and try again.',
  130429: 'Rate limit hit',
  130472: "User's number is part of an experiment",
  131000: 'Something went wrong',
  131005: 'Access denied',
  131008: 'Required parameter is missing',
  131009: 'Parameter value is not valid',
  131016: 'Service unavailable',
  131021: 'Recipient cannot be sender',
  131026: 'Message undeliverable',
  131030: 'Recipient phone number not in allowed list',
  131031: 'Account has been locked',
  131042: 'Business eligibility payment issue',
  131045: 'Incorrect certificate',
  131047: 'Re-engagement message',
  131048: 'Spam rate limit hit',
  131049: 'This message was not delivered to maintain healthy ecosystem engagement.',
  131051: 'Unsupported message type',
  131052: 'Media download error',
  131053: 'Media upload error',
  131056: '(Business Account, Consumer Account) pair rate limit hit',
  131062: 'Business-scoped user ids cannot receive this message',
  131057: 'Account in maintenance mode',
  132000: 'Number of parameters does not match the expected number of params',
  132001: 'Template name does not exist in the translation',
  132012: 'Parameter format does not match format in the created template',
  132015: 'Template is paused',
  132016: 'Template is disabled',
  133006: 'Phone number needs to be verified before registering',
  133008: 'Too many two step verification PIN guesses for this phone number',
  133009: 'Two step verification PIN guessed too fast',
  133015: 'Please wait a few minutes before attempting to register this phone number',
  133016: 'Account register/deregister rate limit exceeded',
  133005: 'Two step verification PIN mismatch',
  133010: 'Phone number not registered',
};

/** The title that upstream shows for a code in errors and in `failed` statuses. */
export function findTitle(code: number): string {
  return titles[code] ?? 'Unknown error';
}

/** HTTP status of a code as listed in upstream's tables [upstream protocol 3.4]; 403 for other codes from 201 to 299, else 400. */
function statusOf(code: number): number {
  return statusByCode[code] ?? (code > 200 && code < 300 ? 403 : 400);
}

/** A call that upstream refuses. `envelope()` is the error body of upstream protocol 3.4. */
export class GraphError extends Error {
  readonly refusal: Refusal;
  readonly status: number;

  constructor(refusal: Refusal) {
    super(refusal.message ?? `(#${refusal.code}) ${findTitle(refusal.code)}`);
    this.refusal = refusal;
    this.status = refusal.status ?? statusOf(refusal.code);
  }

  envelope(trace: string): { error: Record<string, unknown> } {
    const { code, subcode, details, userTitle, userMessage, isTransient, type } = this.refusal;
    return {
      error: {
        message: this.message,
        type: type ?? 'OAuthException',
        code,
        ...(subcode === undefined ? {} : { error_subcode: subcode }),
        ...(isTransient === undefined ? {} : { is_transient: isTransient }),
        ...(userTitle === undefined ? {} : { error_user_title: userTitle }),
        ...(userMessage === undefined ? {} : { error_user_msg: userMessage }),
        ...(details === undefined ? {} : { error_data: { messaging_product: 'whatsapp', details } }),
        fbtrace_id: trace,
      },
    };
  }
}

/** 100/33: the object does not exist, or the token may not see it; upstream does not say which. */
export function missingObject(id: string, method = 'get'): GraphError {
  return new GraphError({
    code: 100,
    subcode: 33,
    type: 'GraphMethodException',
    message: `Unsupported ${method.toLowerCase()} request. Object with ID '${id}' does not exist, cannot be loaded due to missing permissions, or does not support this operation`,
  });
}

/** 200: the token lacks a permission. */
export function missingPermission(permission: string): GraphError {
  return new GraphError({
    code: 200,
    status: 403,
    message: `(#200) Requires ${permission} permission to manage the object`,
  });
}

/** 100 without a subcode: a parameter is missing or wrong. */
export function badParameter(message: string, details?: string): GraphError {
  return new GraphError({ code: 100, message: `(#100) ${message}`, details });
}
