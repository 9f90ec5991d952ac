// Writes what is derived from the settings' schema: `node scripts/writeSchema.ts`. A test holds both up to date.
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { settingsSchema } from '../src/config/schema.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The two derived files, as data, by path below the repository. */
export function derivedFiles(): { 'schema/settings.schema.json': object; '.clawdcode.example.json': object } {
  return {
    'schema/settings.schema.json': {
      title: 'ClawdCode settings',
      ...z.toJSONSchema(settingsSchema, { io: 'input' }),
    },
    '.clawdcode.example.json': { $schema: './schema/settings.schema.json', ...settingsSchema.parse({}) },
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [path, data] of Object.entries(derivedFiles())) {
    await writeFile(join(root, path), `${JSON.stringify(data, null, 2)}\n`);
  }
}
