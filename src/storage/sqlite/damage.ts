/** Pages of the file are not what SQLite wrote: a failing disk, or another program that wrote into the file. */
const said =
  /database disk image is malformed|malformed database schema|file is not a database|file is encrypted/;

export function isDamage(message: string): boolean {
  return said.test(message);
}
