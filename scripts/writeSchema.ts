// Writes the files derived from the schemas of settings and session lines: `node scripts/writeSchema.ts`. A test checks
// that they are up to date.
import { execFileSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import * as z from 'zod';
import { settingsSchema } from '../src/config/schema.ts';
import { sessionEntrySchema } from './sessionEntrySchema.ts';

const root = dirname(dirname(fileURLToPath(import.meta.url)));

/** The derived files, as data, by path relative to the repository. */
export function derivedFiles() {
  return {
    'schema/settings.schema.json': {
      title: 'ClawdCode settings',
      ...z.toJSONSchema(settingsSchema, { io: 'input' }),
    },
    'schema/session-entry.schema.json': sessionEntrySchema(),
    '.clawdcode.example.json': { $schema: './schema/settings.schema.json', ...settingsSchema.parse({}) },
  } satisfies Record<string, object>;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const files = Object.entries(derivedFiles());
  for (const [path, data] of files) await writeFile(join(root, path), JSON.stringify(data, null, 2));
  const biome = join(root, 'node_modules/@biomejs/biome/bin/biome');
  const paths = files.map(([path]) => path);
  execFileSync(process.execPath, [biome, 'format', '--write', ...paths], { cwd: root, stdio: 'inherit' });
}
