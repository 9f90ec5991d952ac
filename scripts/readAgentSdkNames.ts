/**
 * Reads the names of the options and of the methods of a query from the published types of
 * `@anthropic-ai/claude-agent-sdk`; a test compares the tables of docs/agent-sdk.md with them.
 *
 *     npx node scripts/readAgentSdkNames.ts FOLDER/node_modules/@anthropic-ai/claude-agent-sdk
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error('Usage: readAgentSdkNames.ts <folder of the package>');
const types = readFileSync(join(folder, 'sdk.d.ts'), 'utf8');

const names = {
  sdk: (JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as { version: string }).version,
  options: namesIn(/declare type Options = \{\r?\n([\s\S]*?)\r?\n\};/),
  methods: namesIn(/declare interface Query extends [^{]*\{\r?\n([\s\S]*?)\r?\n\}/),
  functions: [...types.matchAll(/^export declare function (\w+)/gm)].map(([, name]) => name).sort(),
};
const target = join(import.meta.dirname, '../test/fixtures/agentSdk/names.json');
writeFileSync(target, `${JSON.stringify(names, null, 2)}\n`);

/** The members of the declaration that the pattern captures. */
function namesIn(pattern: RegExp): string[] {
  const [, body] = pattern.exec(types) ?? [];
  if (body === undefined) throw new Error(`nothing matches ${pattern}`);
  const found = [...body.matchAll(/^ {4}(\w+)(?:\?:|:|\()/gm)].map(([, name = '']) => name);
  return [...new Set(found)].sort();
}
