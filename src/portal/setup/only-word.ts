/** The parameter if it is there once and looks as expected. */
export function onlyWord(query: URLSearchParams, name: string, shape: RegExp): string | null {
  const [value, ...more] = query.getAll(name);
  return value !== undefined && more.length === 0 && shape.test(value) ? value : null;
}
