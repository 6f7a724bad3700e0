/**
 * The service's own contract as a check of its answers: whatever a test asks of a service, the answer must be one that
 * `/openapi.json` describes, to the field. [operator-interface §3; faults API9]
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

/** Where a document's schemas are for Ajv, which then reads them once and not once for each answer that is described. */
const schemasId = 'contract';

/** By what they say of answers: services of other test files, and of other addresses, have the same. */
const made = new Map<string, Contract>();

export class Contract {
  readonly #document: Document;
  readonly #ajv = new Ajv2020({ strict: false, allErrors: true, formats: fullFormats });
  readonly #compiled = new Map<Content, ValidateFunction>();

  constructor(document: Document) {
    this.#document = closed(document);
    this.#ajv.addSchema({ $id: schemasId, components: this.#document.components });
  }

  /** Asks the service at this address for its contract. */
  static async of(url: string): Promise<Contract> {
    const { status, body } = await call('GET', `${url}/openapi.json`);
    if (status !== 200) throw new Error(`/openapi.json answered ${status}`);
    const { webhooks, paths, components } = body;
    const said = JSON.stringify({ webhooks, paths, components });
    const contract = made.get(said) ?? new Contract(body);
    made.set(said, contract);
    return contract;
  }

  /** `GET /api/v1/channels/{channel_id}` for a request; null when the contract has no such operation. */
  operationOf(method: string, target: string): string | null {
    const path = target.split('?')[0] ?? '';
    const paths = Object.keys(this.#document.paths).filter((template) => fits(template, path));
    // A fixed path stands before one with a parameter that would match it too.
    const template = paths.toSorted((a, b) => Number(a.includes('{')) - Number(b.includes('{')))[0];
    const isThere = template !== undefined && method.toLowerCase() in (this.#document.paths[template] ?? {});
    return isThere ? `${method.toUpperCase()} ${template}` : null;
  }

  /** What the answer has that the contract has not, as a sentence; null when it is described. */
  problemOf(method: string, target: string, answer: Answer): string | null {
    const name = this.operationOf(method, target);
    if (name === null) return null;
    const operation = this.#document.paths[name.split(' ')[1] ?? '']?.[method.toLowerCase()];
    const response = operation?.responses[String(answer.status)];
    if (response === undefined) return `${name} does not describe ${answer.status}: ${answer.text}`;
    const type = (answer.headers.get('content-type') ?? '').split(';')[0] ?? '';
    // A file: whatever its type, its bytes are not described.
    if (response.content?.['application/octet-stream'] !== undefined) return null;
    const content = response.content?.[type];
    if (content === undefined) return `${name} ${answer.status} does not describe ${type}`;
    if (content.schema === undefined) return null;
    const isValid = this.#validatorOf(content);
    if (isValid(answer.body)) return null;
    return `${name} ${answer.status} is not as described: ${this.#ajv.errorsText(isValid.errors)} in ${answer.text}`;
  }

  /** As `problemOf`, of a POST to a receiver: its body and the headers that the contract says it has. */
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

/** Its references, which mean the document, lead to where Ajv has it. */
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
