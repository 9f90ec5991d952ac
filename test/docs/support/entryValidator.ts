/** Validates lines with the published schema, as a program in any language would. */
import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020.js';

const file = resolve(import.meta.dirname, '../../../schema/session-entry.schema.json');
const validate = new Ajv2020({
  strict: true,
  strictRequired: false,
  strictTypes: false,
  allErrors: true,
}).compile(JSON.parse(readFileSync(file, 'utf8')));

/** The problems of a line, one sentence each; empty if it is valid. */
export function problemsOf(line: unknown): readonly string[] {
  if (validate(line)) return [];
  return (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath || '/'} ${message}`);
}
