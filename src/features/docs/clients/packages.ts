/**
 * The archives of the clients, made of the files beside this one and of the contract that this service serves: they fit it by
 * construction. The version names their content, so that an installer sees a new one.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { asRecord } from '../../../kernel/json.ts';
import { readContract } from './contract.ts';
import type { ClientContract } from './contract.ts';
import { languages } from './languages.ts';
import type { LanguageId } from './languages.ts';
import { writeNodeApi, writeNodeTypes } from './node-api.ts';
import type { PackedFile } from './packed-file.ts';
import { snake, writePythonApi } from './python-api.ts';
import { writeReadme } from './readme.ts';
import { tarOf } from './tar.ts';
import { zipOf } from './zip.ts';

/** Raised with a change of the files that are written by hand. */
const release = '1.2.0';

export interface Package {
  /** Of the archive. */
  file: string;
  bytes: Buffer;
}

/** A method of the clients. */
export interface Method {
  node: string;
  python: string;
  summary: string;
}

interface Packages {
  node: Package;
  python: Package;
  methods: readonly Method[];
}

let made: { contract: Buffer; packages: Packages } | null = null;

/** Made at the first request: a contract of the same bytes has the same packages. */
export function packagesFor(contract: Buffer): Packages {
  if (made?.contract !== contract) {
    const read = readContract(asRecord(JSON.parse(contract.toString())) ?? {});
    const methods = read.operations.map(({ name: node, summary }) => ({
      node,
      python: snake(node),
      summary,
    }));
    made = { contract, packages: { node: nodePackage(read), python: pythonPackage(read), methods } };
  }
  return made.packages;
}

/** One of the files that are written by hand. */
export function handWritten(language: LanguageId, file: string): string {
  return readFileSync(join(import.meta.dirname, language, file), 'utf8');
}

const name = 'trunkline-client';
const summary = 'Client of a Trunkline service';

function nodePackage(contract: ClientContract): Package {
  const kept = [
    'client.mjs',
    'client.d.mts',
    'files.mjs',
    'index.mjs',
    'index.d.mts',
    'settings.mjs',
    'webhooks.mjs',
    'webhooks.d.mts',
  ];
  const texts = [
    ...kept.map((file) => ({ path: file, text: handWritten('node', file) })),
    { path: 'api.mjs', text: writeNodeApi(contract) },
    { path: 'api.d.mts', text: writeNodeTypes(contract) },
  ];
  const version = versionOf(texts);
  const manifest = {
    name,
    version,
    description: summary,
    license: 'UNLICENSED',
    type: 'module',
    exports: { types: './index.d.mts', default: './index.mjs' },
    engines: { node: '>=20.19' },
  };
  const file = `${name}-${version}.tgz`;
  const program = handWritten('node', 'send.mjs');
  const files = [
    { path: 'package.json', text: JSON.stringify(manifest, null, 2) },
    { path: 'README.md', text: writeReadme(languages.node, { name, file, program }) },
    ...texts,
  ];
  const packed = files.map(({ path, text }) => ({ path: `package/${path}`, text }));
  return { file, bytes: tarOf(packed) };
}

function pythonPackage(contract: ClientContract): Package {
  const module = 'trunkline_client';
  const texts = [
    ...['__init__.py', 'client.py', 'form.py', 'settings.py', 'webhooks.py'].map((file) => ({
      path: `${module}/${file}`,
      text: handWritten('python', file),
    })),
    { path: `${module}/api.py`, text: writePythonApi(contract) },
    { path: `${module}/py.typed`, text: '' },
  ];
  const version = versionOf(texts);
  const info = `${module}-${version}.dist-info`;
  const file = `${module}-${version}-py3-none-any.whl`;
  const readme = writeReadme(languages.python, { name, file, program: handWritten('python', 'send.py') });
  const files = [
    ...texts,
    {
      path: `${info}/METADATA`,
      text: `Metadata-Version: 2.1\nName: ${name}\nVersion: ${version}\nSummary: ${summary}\nRequires-Python: >=3.9\nDescription-Content-Type: text/markdown\n\n${readme}`,
    },
    {
      path: `${info}/WHEEL`,
      text: 'Wheel-Version: 1.0\nGenerator: trunkline\nRoot-Is-Purelib: true\nTag: py3-none-any\n',
    },
  ];
  const record = { path: `${info}/RECORD`, text: recordOf(files, `${info}/RECORD`) };
  return { file, bytes: zipOf([...files, record]) };
}

/** The list of a wheel's files, with their digests. */
function recordOf(files: readonly PackedFile[], own: string): string {
  const lines = files.map(({ path, text }) => {
    const digest = createHash('sha256').update(text).digest('base64url');
    return `${path},sha256=${digest},${Buffer.byteLength(text)}`;
  });
  return [...lines, `${own},,`, ''].join('\n');
}

function versionOf(files: readonly PackedFile[]): string {
  const digest = createHash('sha256').update(JSON.stringify(files)).digest('hex');
  return `${release}+${digest.slice(0, 8)}`;
}
