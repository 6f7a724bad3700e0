/** The names of a record's members, by its type. */
export function namesIn<T extends object>(record: T): Extract<keyof T, string>[] {
  const names: Extract<keyof T, string>[] = [];
  for (const name in record) names.push(name);
  return names;
}
