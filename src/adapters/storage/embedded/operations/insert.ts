/** `insert into table (columns) values (?, …)`: the columns are named once, in the order of the values. */
export function insertInto(table: string, columns: readonly string[], orElse = ''): string {
  const marks = columns.map(() => '?').join(', ');
  return `insert into ${table} (${columns.join(', ')}) values (${marks}) ${orElse}`;
}

export function bit(flag: boolean): 0 | 1 {
  return flag ? 1 : 0;
}
