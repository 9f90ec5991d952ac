/** Tokens of MCP servers: `credentials-mcp.json` in the data folder, readable only by its owner. */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import type { AuthRecord, AuthStore } from '../../mcp/auth.ts';

/** Damaged entries are ignored: the user logs in again. */
const fileSchema = z.looseObject({ servers: z.record(z.string(), z.looseObject({})).default({}) });

/** Stores one server's login by its name and URL, so that tokens are never sent to another URL. */
export function createAuthStore(dataRoot: string, name: string, url: URL): AuthStore {
  const file = join(dataRoot, 'credentials-mcp.json');
  const key = `${name} ${url.href}`;
  const readAll = async (): Promise<z.output<typeof fileSchema>> => {
    const text = await readFile(file, 'utf8').catch(() => '{}');
    try {
      return fileSchema.parse(JSON.parse(text));
    } catch {
      return { servers: {} };
    }
  };
  return {
    async read() {
      const { servers } = await readAll();
      return Object.hasOwn(servers, key) ? (servers[key] as AuthRecord) : undefined;
    },
    async write(record) {
      const all = await readAll();
      const { [key]: _, ...others } = all.servers;
      const servers = record === undefined ? others : { ...others, [key]: record };
      await writePrivateFile(file, `${JSON.stringify({ ...all, servers }, null, 2)}\n`);
    },
  };
}
