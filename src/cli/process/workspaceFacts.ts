import { userInfo } from 'node:os';
import { join } from 'node:path';
import * as z from 'zod';
import { detectGitRemote } from '../../context/index.ts';
import { readSmallFile } from '../../disk/realFile.ts';
import { parseJson } from '../../protocol/json.ts';

const packageSchema = z.object({ name: z.string().exactOptional(), version: z.string().exactOptional() });

/** A larger file is ignored: an archive may contain anything by that name. */
const MAX_PACKAGE_BYTES = 1_000_000;

/** Reads the repository's remote and the package name from the project's files. */
export async function readWorkspaceFacts(
  root: string,
): Promise<{ readonly gitRemote?: string; readonly package?: z.infer<typeof packageSchema> }> {
  const [gitRemote, text] = await Promise.all([
    detectGitRemote(root),
    readSmallFile(join(root, 'package.json'), MAX_PACKAGE_BYTES),
  ]);
  const parsed = packageSchema.safeParse(parseJson(text ?? ''));
  return {
    ...(gitRemote === undefined ? {} : { gitRemote }),
    ...(parsed.success ? { package: parsed.data } : {}),
  };
}

/** Returns the name of the current user; undefined if the system has none, as in some containers. */
export function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    return undefined;
  }
}
