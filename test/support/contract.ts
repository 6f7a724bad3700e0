/**
 * Checks every answer that a test receives against the service's own `/openapi.json`: status, content type and each field.
 * [operator-interface §3; faults API9]
 */
import { Ajv2020 } from 'ajv/dist/2020.js';
import type { ValidateFunction } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';
import { call } from './api.ts';
import type { Answer } from './api.ts';

interface Content {
  schema?: object;
}

interface Operation {
  responses: Record<string, { content?: Record<string, Content> }>;
}

interface Webhook {
  parameters: { name: string; required: boolean }[];
  requestBody: { content: Record<string, Content> };
}

interface Document {
  webhooks: Record<string, { post: Webhook }>;
  paths: Record<string, Record<string, Operation>>;
  components: { schemas: Record<string, object> };
}

/** The id under which Ajv holds a document's shared schemas, so that it compiles them once and not once for each answer. */
const schemasId = 'contract';

/** By the text of their answers: services of other test files, at other addresses, have the same contract. */
const cached = new Map<string, Contract>();

export class Contract {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats });
  readonly #compiled = new Map<Content, ValidateFunction>();

  constructor(document: Document) {
    this.#document = closed(document);
    this.#ajv.addSchema({ $id: schemasId, components: this.#document.components });
  }

  /** Reads the contract of the service at this address; throws if the service does not answer 200. */
  static async of(url: string): Promise<Contract> {
    const { status, body } = await call('GET', `${url}/openapi.json`);
    if (status !== 200) throw new Error(`/openapi.json answered ${status}`);
    const { webhooks, paths, components } = body;
    const text = JSON.stringify({ webhooks, paths, components });
    const contract = cached.get(text) ?? new Contract(body);
    cached.set(text, contract);
    return contract;
  }

  /** The operation of a request, as in `GET /api/v1/channels/{channel_id}`; null if the contract has no such operation. */
  operationOf(method: string, target: string): string | null {
    const path = target.split('?')[0] ?? '';
    const paths = Object.keys(this.#document.paths).filter((template) => fits(template, path));
    // A fixed path takes precedence over a path with a parameter that also matches.
    const template = paths.toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))[0];
    const exists = template !== undefined && method.toLowerCase() in (this.#document.paths[template] ?? {});
    return exists ? `${method.toUpperCase()} ${template}` : null;
  }

  /** How the answer differs from the contract, as a sentence; null if it conforms, or if the contract has no such operation. */
  problemOf(method: string, target: string, answer: Answer): string | null {
    const name = this.operationOf(method, target);
    if (name === null) return null;
    const operation = this.#document.paths[name.split(' ')[1] ?? '']?.[method.toLowerCase()];
    const response = operation?.responses[String(answer.status)];
    if (response === undefined) return `${name} does not describe ${answer.status}: ${answer.text}`;
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    // A file has any content type, and the contract does not describe its bytes.
    if (response.content?.['application/octet-stream'] !== undefined) return null;
    const content = response.content?.[type];
    if (content === undefined) return `${name} ${answer.status} does not describe ${type}`;
    if (content.schema === undefined) return null;
    const isValid = this.#validatorOf(content);
    if (isValid(answer.body)) return null;
    return `${name} ${answer.status} is not as described: ${this.#ajv.errorsText(isValid.errors)} in ${answer.text}`;
  }

  /** Like `problemOf`, for a POST to a receiver: checks its body and the headers that the contract requires. */
  problemOfWebhook(event: string, body: unknown, headers: Readonly<Record<string, unknown>>): string | null {
    const webhook = this.#document.webhooks[event]?.post;
    const content = webhook?.requestBody.content['application/json'];
    if (webhook === undefined || content === undefined) return `${event} is not described`;
    const missing = webhook.parameters.find(
      ({ name, required }) => required && headers[name.toLowerCase()] === undefined,
    );
    if (missing !== undefined) return `${event} lacks ${missing.name}`;
    const isValid = this.#validatorOf(content);
    if (isValid(body)) return null;
    return `${event} is not as described: ${this.#ajv.errorsText(isValid.errors)} in ${JSON.stringify(body)}`;
  }

  #validatorOf(content: Content): ValidateFunction {
    const known = this.#compiled.get(content);
    if (known !== undefined) return known;
    const compiled = this.#ajv.compile(referring(content.schema));
    this.#compiled.set(content, compiled);
    return compiled;
  }
}

/** The schema with its references (`#/components/…`) pointing to the document as Ajv holds it. */
function referring(schema: object = {}): object {
  return JSON.parse(JSON.stringify(schema), (key, item: unknown) =>
    key === '$ref' && typeof item === 'string' && item.startsWith('#') ? `${schemasId}${item}` : item,
  );
}

function fits(template: string, path: string): boolean {
  const [wanted, given] = [template.split('/'), path.split('/')];
  return (
    wanted.length === given.length &&
    wanted.every((segment, at) => segment === given[at] || (segment.startsWith('{') && given[at] !== ''))
  );
}

/** Clients must ignore unknown fields; our own tests must not: an object has the described fields and no other. */
function closed<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), (_key, item: unknown) => {
    const isOpen = typeof item === 'object' && item !== null && 'properties' in item && 'type' in item;
    return isOpen && !('additionalProperties' in item) ? { ...item, additionalProperties: false } : item;
  });
}
