/** The parameter's value if it is present once and matches `shape`; else null. */
export function singleParam(query: URLSearchParams, name: string, shape: RegExp): string | null {
  const [value, ...more] = query.getAll(name);
  return value !== undefined && more.length === 0 && shape.test(value) ? value : null;
}
