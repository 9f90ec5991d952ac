/** Which folders the user trusts, by real path: `trust.json` in the program's own directory. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from './privateFile.ts';

const trustSchema = z.looseObject({ folders: z.record(z.string(), z.string()) });

/** True when the user said so for this very folder; folders inside or around it are other folders. */
export async function isTrusted(dataRoot: string, realRoot: string): Promise<boolean> {
  return Object.hasOwn((await readTrust(dataRoot)).folders, realRoot);
}

/** Remembers that the user trusts a folder, and since when. */
export async function trustFolder(dataRoot: string, realRoot: string, now: () => Date): Promise<void> {
  const trust = await readTrust(dataRoot);
  const folders = { ...trust.folders, [realRoot]: now().toISOString() };
  await writePrivateFile(trustFile(dataRoot), `${JSON.stringify({ ...trust, folders }, null, 2)}\n`);
}

function trustFile(dataRoot: string): string {
  return join(dataRoot, 'trust.json');
}

/** A file that is missing or damaged trusts nobody: the question is asked again. */
async function readTrust(dataRoot: string): Promise<z.infer<typeof trustSchema>> {
  const text = await readFile(trustFile(dataRoot), 'utf8').catch(() => '');
  try {
    return trustSchema.parse(JSON.parse(text));
  } catch {
    return { folders: {} };
  }
}
