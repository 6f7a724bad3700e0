/** The part of the Python client that the contract says: its methods, and the types of what they take and answer. */
import type { ClientContract, Operation } from './contract.ts';
import type { Member, Type } from './types.ts';

const head = `"""Made from the contract of the service."""

import http.client
from typing import Any, Dict, List, Literal, Optional, TypedDict, Union

from .client import OMITTED, Client, Operation, Pages
from .form import File`;

export function writePythonApi({ operations, types, errorCodes }: ClientContract): string {
  const codes = `#: More can be added.\nErrorCode = Union[${wordsOf(errorCodes)}, str]`;
  const named = [...types].map(([name, type]) =>
    type.is === 'object' ? classOf(name, type.members) : `${name} = ${print(type)}`,
  );
  const methods = operations.map(methodOf).join('\n\n');
  return [head, codes, ...named, `class Trunkline(Client):\n${methods}\n`].join('\n\n\n');
}

/** Two classes where some members may be missing: Python before 3.11 has no other way. */
function classOf(name: string, members: readonly Member[]): string {
  const [required, optional] = [true, false].map((is) =>
    members.filter(({ isRequired }) => isRequired === is),
  );
  if (optional === undefined || optional.length === 0) return oneClass(name, required ?? [], 'TypedDict');
  if (required === undefined || required.length === 0)
    return oneClass(name, optional, 'TypedDict, total=False');
  const first = `_${name}`;
  return [oneClass(first, required, 'TypedDict'), oneClass(name, optional, `${first}, total=False`)].join(
    '\n\n\n',
  );
}

/** A member can have a name that Python keeps for itself. */
const keywords = new Set([
  'from',
  'class',
  'import',
  'in',
  'is',
  'not',
  'or',
  'and',
  'pass',
  'global',
  'with',
]);

function oneClass(name: string, members: readonly Member[], bases: string): string {
  if (members.some((member) => keywords.has(member.name))) {
    const entries = members.map((member) => `"${member.name}": ${print(member.type)}`);
    return `${name} = TypedDict("${name}", {${entries.join(', ')}})`;
  }
  const lines = members.map(({ name: member, type, says }) => `${note(says)}    ${member}: ${print(type)}`);
  return `class ${name}(${bases}):\n${lines.length === 0 ? '    pass' : lines.join('\n')}`;
}

function note(says: string): string {
  return says === '' ? '' : `    #: ${says}\n`;
}

function methodOf(operation: Operation): string {
  const { name, says, members, isOnce, answer, items } = operation;
  const own = isOnce ? ['        idempotency_key: Optional[str] = None,'] : [];
  const parameters = [...members.map(parameterOf), ...own];
  const given = `{${members.map((member) => `"${member.name}": ${member.name}`).join(', ')}}`;
  const result = answer === null ? 'http.client.HTTPResponse' : print(answer);
  const [answered, called] =
    items === null
      ? [result, `self._call(operation, ${given}${isOnce ? ', idempotency_key' : ''})`]
      : [`"Pages[${unquoted(items.of)}, ${unquoted(answer)}]"`, `Pages(self, operation, ${given})`];
  const taken =
    parameters.length === 0 ? 'self' : `\n        self,\n        *,\n${parameters.join('\n')}\n    `;
  return `    def ${snake(name)}(${taken}) -> ${answered}:
        """${says.replaceAll('\\', '\\\\').replaceAll('"""', "'''")}"""
        operation = ${entryOf(operation)}
        return ${called}`;
}

function entryOf({ method, path, takes, isOnce, upload, isRepeatable, answer, items }: Operation): string {
  const entry = [
    `"${method}", "${path}", "${takes}"`,
    ...(isOnce ? ['once=True'] : []),
    ...(items === null ? [] : [`items="${items.name}"`]),
    ...(answer === null ? ['file=True'] : []),
    ...(upload === null ? [] : [`upload="${upload}"`]),
    ...(isRepeatable ? ['repeatable=True'] : []),
  ];
  return `Operation(${entry.join(', ')})`;
}

function parameterOf({ name, type, isRequired }: Member): string {
  return `        ${name}: ${print(type)}${isRequired ? '' : ' = OMITTED'},`;
}

const plain = {
  text: 'str',
  bytes: 'File',
  integer: 'int',
  number: 'float',
  flag: 'bool',
  null: 'None',
  anything: 'Any',
  object: 'Dict[str, Any]',
} as const;

function print(type: Type): string {
  switch (type.is) {
    case 'words':
      return wordsOf(type.words);
    case 'named':
      return `"${type.name}"`;
    case 'list':
      return `List[${print(type.of)}]`;
    case 'map':
      return `Dict[str, ${print(type.of)}]`;
    case 'one':
      return `Union[${type.of.map(print).join(', ')}]`;
    default:
      return plain[type.is];
  }
}

function unquoted(type: Type | null): string {
  return type === null ? 'Any' : print(type).replaceAll('"', '');
}

function wordsOf(words: readonly string[]): string {
  return `Literal[${words.map((word) => `"${word}"`).join(', ')}]`;
}

/** The name of a method. */
export function snake(name: string): string {
  return name.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
