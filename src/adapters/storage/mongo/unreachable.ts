/** Explains why a connection failed, with the host, but never with the URI, which may contain a password. */
import { describe } from './errors.ts';

export function whyUnreachable(error: unknown, uri: string): string {
  return `MongoDB can't be reached at ${listHosts(uri)}: ${findReason(readFields(error), error)}`;
}

/** Cut out by a pattern, because a URI with several hosts is no standard URL. */
function listHosts(uri: string): string {
  return /^[a-z+]+:\/\/(?:[^@/]*@)?([^/?]*)/.exec(uri)?.[1] ?? '';
}

type Fields = Record<string, unknown>;

const byServerCode = new Map<unknown, string>([
  [18, 'it refuses the user or the password of MONGODB_URI'],
  [13, 'the user of MONGODB_URI may not do what is needed'],
]);

const bySocketCode: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nobody listens there',
  ENOTFOUND: 'there is no such host',
  EAI_AGAIN: 'the name of the host can not be looked up',
  EHOSTUNREACH: 'there is no way to the host',
  ENETUNREACH: 'there is no way to the host',
  ECONNRESET: 'it ends every connection: is it MongoDB, does it want TLS?',
};

function findReason({ code, reason }: Fields, error: unknown): string {
  const refused = byServerCode.get(code);
  if (refused !== undefined) return refused;
  const { setName, servers } = readFields(reason);
  const failures =
    servers instanceof Map ? [...servers.values()].map((server) => readFields(server)['error']) : [];
  const failure = failures.find((each) => each instanceof Error);
  if (failure instanceof Error) return reasonOfSocket(failure);
  // The server answered, so only the name of the replica set can be wrong.
  if (typeof setName === 'string') return `it is no replica set of the name ${setName}, or has no primary`;
  return describe(error);
}

function reasonOfSocket({ message, cause }: Error): string {
  const { code } = readFields(cause);
  const known = typeof code === 'string' ? bySocketCode[code] : undefined;
  if (known !== undefined) return known;
  if (message.endsWith('closed')) return 'it ends every connection: is it MongoDB, does it want TLS?';
  if (message.endsWith('timed out')) return 'it takes connections and does not answer as MongoDB does';
  return 'it does not answer as MongoDB does';
}

function readFields(value: unknown): Fields {
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(fieldsRead.map((name) => [name, Reflect.get(value, name)]))
    : {};
}

/** Fields of driver errors; some of them are on the prototype. */
const fieldsRead = ['code', 'reason', 'setName', 'servers', 'error'] as const;
