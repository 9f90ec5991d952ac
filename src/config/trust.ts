/**
 * Which folders the user trusts, by real path, and which rules they saved in one that they were never asked
 * about: `trust.json` in the program's own directory.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from './privateFile.ts';

const trustSchema = z.looseObject({
  folders: z.record(z.string(), z.string()).default({}),
  rules: z.record(z.string(), z.array(z.string())).default({}),
});
type Trust = z.infer<typeof trustSchema>;

/** True when the user said so for this very folder; folders inside or around it are other folders. */
export async function isTrusted(dataRoot: string, realRoot: string): Promise<boolean> {
  return Object.hasOwn((await readTrust(dataRoot)).folders, realRoot);
}

/** Remembers that the user trusts a folder, and since when. */
export async function trustFolder(dataRoot: string, realRoot: string, now: () => Date): Promise<void> {
  const trust = await readTrust(dataRoot);
  const folders = { ...trust.folders, [realRoot]: now().toISOString() };
  await writeTrust(dataRoot, { ...trust, folders });
}

/** Allow rules that the user saved in a folder: they count there, whatever else its settings may say. */
export async function savedRules(dataRoot: string, realRoot: string): Promise<readonly string[]> {
  const { rules } = await readTrust(dataRoot);
  return Object.hasOwn(rules, realRoot) ? (rules[realRoot] ?? []) : [];
}

/** Remembers that the user saved these rules in a folder, which is less than to trust all of its settings. */
export async function rememberRules(
  dataRoot: string,
  realRoot: string,
  added: readonly string[],
): Promise<void> {
  const trust = await readTrust(dataRoot);
  const known = Object.hasOwn(trust.rules, realRoot) ? (trust.rules[realRoot] ?? []) : [];
  const rules = { ...trust.rules, [realRoot]: [...new Set([...known, ...added])] };
  await writeTrust(dataRoot, { ...trust, rules });
}

function trustFile(dataRoot: string): string {
  return join(dataRoot, 'trust.json');
}

/** A file that is missing or damaged trusts nobody: the question is asked again. */
async function readTrust(dataRoot: string): Promise<Trust> {
  const text = await readFile(trustFile(dataRoot), 'utf8').catch(() => '');
  try {
    return trustSchema.parse(JSON.parse(text));
  } catch {
    return { folders: {}, rules: {} };
  }
}

function writeTrust(dataRoot: string, trust: Trust): Promise<void> {
  return writePrivateFile(trustFile(dataRoot), `${JSON.stringify(trust, null, 2)}\n`);
}
