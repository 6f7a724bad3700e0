/** The languages that have a client, and what is said of each on the page and in the README of its package. */
export const languages = {
  node: {
    id: 'node',
    name: 'Node',
    needs: 'Node 20.19 or later',
    install: 'npm install ./',
    ending: 'mjs',
    run: 'node',
    fence: 'js',
    throws: 'throws `TrunklineError`',
    http: '`allowHttp: true`',
  },
  python: {
    id: 'python',
    name: 'Python',
    needs: 'Python 3.9 or later',
    install: 'pip install ./',
    ending: 'py',
    run: 'python3',
    fence: 'python',
    throws: 'raises `TrunklineError`',
    http: '`allow_http=True`',
  },
} as const;

export type LanguageId = keyof typeof languages;
export type Language = (typeof languages)[LanguageId];
