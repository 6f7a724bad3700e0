/** The README of a package, which npm and pip keep beside it: first use, and what a program must know. */
import type { Language } from './languages.ts';

/** `program`: the one that sends and lists. */
export function writeReadme(
  { fence, throws, http, install }: Language,
  { name, file, program }: { name: string; file: string; program: string },
): string {
  return `# ${name}

Client of a Trunkline service. The page \`/docs/clients\` of your service has this file, more programs and all calls.

\`\`\`sh
${install}${file}
\`\`\`

\`\`\`${fence}
${program.trimEnd()}
\`\`\`

- A refused call ${throws} with \`code\`, \`status\` and \`detail\`. A send that the platform refuses is none: its \`status\` is \`failed\`.
- A list is iterated over. \`first()\` is its first page, \`pages()\` are all.
- The address is https, or http to this machine; ${http} takes any.
`;
}
