/** The README of a package, which npm and pip keep beside it: first use, and what a program must know. */
const words = {
  node: {
    language: 'js',
    throws: 'throws `TrunklineError`',
    http: '`allowHttp: true`',
    install: 'npm install ./',
  },
  python: {
    language: 'python',
    throws: 'raises `TrunklineError`',
    http: '`allow_http=True`',
    install: 'pip install ./',
  },
};

/** `program`: the one that sends and lists. */
export function writeReadme(
  of: keyof typeof words,
  { name, file, program }: { name: string; file: string; program: string },
): string {
  const { language, throws, http, install } = words[of];
  return `# ${name}

Client of a Trunkline service. The page \`/docs/clients\` of your service has this file, more programs and all calls.

\`\`\`sh
${install}${file}
\`\`\`

\`\`\`${language}
${program.trimEnd()}
\`\`\`

- A refused call ${throws} with \`code\`, \`status\` and \`detail\`. A send that the platform refuses is none: its \`status\` is \`failed\`.
- A list is iterated over. \`first()\` is its first page, \`pages()\` are all.
- The address is https, or http to this machine; ${http} takes any.
`;
}
