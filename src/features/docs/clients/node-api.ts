/** The part of the Node client that the contract says: its methods, and the types of what they take and answer. */
import type { ClientContract, Operation } from './contract.ts';
import type { Member, Type } from './types.ts';

const head = '// Made from the contract of the service.\n';

export function writeNodeApi({ operations }: ClientContract): string {
  const methods = operations.map(({ name, says, ...operation }) => {
    const called = operation.items === null ? 'call' : 'list';
    return `${comment(says, '  ')}  ${name}(input, options) {
    return this.${called}(${entryOf(operation)}, input, options);
  }`;
  });
  return `${head}import { Client } from './client.mjs';\n\nexport class Trunkline extends Client {\n${methods.join('\n\n')}\n}\n`;
}

function entryOf({
  method,
  path,
  takes,
  isOnce,
  upload,
  isRepeatable,
  answer,
  items,
}: Omit<Operation, 'name' | 'says'>): string {
  const entry = {
    method,
    path,
    takes,
    ...(isOnce ? { once: true } : {}),
    ...(items === null ? {} : { list: items.name }),
    ...(answer === null ? { file: true } : {}),
    ...(upload === null ? {} : { upload }),
    ...(isRepeatable ? { repeatable: true } : {}),
  };
  return JSON.stringify(entry);
}

export function writeNodeTypes({ operations, types, errorCodes }: ClientContract): string {
  const imports =
    "import { Client, Pages } from './client.mjs';\nimport type { CallOptions, GivenFile, SendOptions } from './client.mjs';\n";
  const codes = `/** More can be added. */\nexport type ErrorCode = ${wordsOf(errorCodes)} | (string & {});\n`;
  const named = [...types].map(([name, type]) =>
    type.is === 'object'
      ? `export interface ${name} ${print(type)}\n`
      : `export type ${name} = ${print(type)};\n`,
  );
  const methods = operations.map((each) => `${comment(each.says, '  ')}  ${signatureOf(each)};\n`);
  return [
    head + imports,
    codes,
    `export declare class Trunkline extends Client {\n${methods.join('\n')}}\n`,
    ...named,
  ].join('\n');
}

function signatureOf({ name, parameters, body, members, isOnce, answer, items }: Operation): string {
  const isOptional = members.every(({ isRequired }) => !isRequired);
  const own: Type[] = parameters.length === 0 ? [] : [{ is: 'object', members: parameters }];
  const input = [...own, ...(body === null ? [] : [body])].map((type) => print(type, '  ')).join(' & ');
  const result = answer === null ? 'Response' : print(answer);
  const answered = items === null ? `Promise<${result}>` : `Pages<${print(items.of)}, ${result}>`;
  const options = isOnce ? 'SendOptions' : 'CallOptions';
  return `${name}(input${isOptional ? '?' : ''}: ${input === '' ? '{}' : input}, options?: ${options}): ${answered}`;
}

const plain = {
  text: 'string',
  bytes: 'GivenFile',
  integer: 'number',
  number: 'number',
  flag: 'boolean',
  null: 'null',
  anything: 'unknown',
} as const;

function print(type: Type, indent = ''): string {
  switch (type.is) {
    case 'words':
      return wordsOf(type.words);
    case 'named':
      return type.name;
    case 'list':
      return `(${print(type.of, indent)})[]`;
    case 'map':
      return `{ [name: string]: ${print(type.of, indent)} }`;
    case 'object':
      return `{\n${type.members.map((each) => memberOf(each, `${indent}  `)).join('')}${indent}}`;
    case 'one':
      return unionOf(type.of, indent);
    default:
      return plain[type.is];
  }
}

/** Known words beside any text: written so that an editor offers the words. */
function unionOf(types: readonly Type[], indent: string): string {
  const isOpen = types.some(({ is }) => is === 'words' || is === 'named');
  const parts = types.map((each) => (isOpen && each.is === 'text' ? '(string & {})' : print(each, indent)));
  return parts.join(' | ');
}

function memberOf({ name, type, isRequired, says }: Member, indent: string): string {
  return `${comment(says, indent)}${indent}${name}${isRequired ? '' : '?'}: ${print(type, indent)};\n`;
}

function wordsOf(words: readonly string[]): string {
  return words.map((word) => `'${word}'`).join(' | ');
}

function comment(says: string, indent: string): string {
  return says === '' ? '' : `${indent}/** ${says.replaceAll('*/', '* /')} */\n`;
}
