/** Makes the names of a server's tools safe to offer: a server may use any. Pure. */
import { createHash } from 'node:crypto';

/** Maximum length of a function name; source: the OpenAI API. */
const MAX_NAME = 64;
const HASH_CHARACTERS = 8;

/**
 * Returns the name of a server's tool for the model and permission rules; two tools of one server may get the same
 * name.
 */
export function toolNameOf(server: string, tool: string): string {
  const name = `mcp__${server}__${tool.replace(/[^A-Za-z0-9_-]/g, '_')}`;
  if (name.length <= MAX_NAME) return name;
  const hash = createHash('sha256').update(tool).digest('hex').slice(0, HASH_CHARACTERS);
  return `${name.slice(0, MAX_NAME - HASH_CHARACTERS - 1)}_${hash}`;
}
