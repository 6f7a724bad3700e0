// Starts the writing thread from the TypeScript sources (tsx, jest): loaders do not reach into worker threads by
// themselves, and a run of tests has them compiled already. The built program starts writer.js directly; this file is not part of it.
const { TRUNKLINE_DIST: compiled } = process.env;

if (compiled === undefined) {
  const { tsImport } = await import('tsx/esm/api');
  await tsImport('./writer.ts', import.meta.url);
} else {
  const { pathToFileURL } = await import('node:url');
  await import(pathToFileURL(`${compiled}/src/adapters/storage/sqlite/writer.js`).href);
}
