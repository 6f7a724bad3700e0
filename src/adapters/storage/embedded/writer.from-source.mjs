// Starts the writing thread from the TypeScript sources (tsx, jest): loaders do not reach into worker threads by
// themselves. The built program starts writer.js directly; this file is not part of it.
import { tsImport } from 'tsx/esm/api';

await tsImport('./writer.ts', import.meta.url);
