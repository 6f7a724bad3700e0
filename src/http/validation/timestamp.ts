import { Ajv2020 } from 'ajv/dist/2020.js';
import { fullFormats } from 'ajv-formats/dist/formats.js';

export const notATimestamp = 'must be an ISO 8601 timestamp with a time zone';

const withoutSeconds = /^(.{10}[Tt ]\d\d:\d\d)([Zz]|[+-].*)$/;

/** Unix ms of a time in a query or a body: ISO 8601 with a time zone, seconds optional. Returns null for any other text. */
export function parseTimestamp(text: string): number | null {
  isDateTime ??= makeDateTime();
  const whole = text.replace(withoutSeconds, '$1:00$2');
  const at = isDateTime(whole) ? Date.parse(whole) : Number.NaN;
  return at >= firstMs && at <= lastMs ? at : null;
}

/** The range of times that an answer can show: years of four digits, in UTC. */
const firstMs = Date.parse('0000-01-01T00:00:00Z');
const lastMs = Date.parse('9999-12-31T23:59:59.999Z');

// Without the meta-schema, whose compilation would take a fifth of the start time.
const makeDateTime = () =>
  new Ajv2020({ meta: false, validateSchema: false })
    .addFormat('date-time', fullFormats['date-time'])
    .compile<string>({ type: 'string', format: 'date-time' });
let isDateTime: ReturnType<typeof makeDateTime> | null = null;
