/** The writing thread of the embedded store. */
import { entities } from '../features/entities.ts';
import { runWriter } from '../storage/sqlite/writer.ts';

await runWriter(entities);
