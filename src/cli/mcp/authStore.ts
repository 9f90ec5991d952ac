/** Tokens of MCP servers: `credentials-mcp.json` in the data folder, readable only by its owner. */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';
import type { AuthRecord, AuthStore } from '../../mcp/auth.ts';

const fileSchema = z.looseObject({ servers: z.record(z.string(), z.looseObject({})).default({}) });

/** Stores one server's login by its name and URL, so that tokens are never sent to another URL. */
export function createAuthStore(dataRoot: string, name: string, url: URL): AuthStore {
  const file = openJsonFile<{ readonly servers: Readonly<Record<string, object>> }>({
    file: join(dataRoot, 'credentials-mcp.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { servers: {} },
  });
  const key = `${name} ${url.href}`;
  return {
    async read() {
      const { servers } = file.read();
      return Object.hasOwn(servers, key) ? (servers[key] as AuthRecord) : undefined;
    },
    write: (record) =>
      file.change((all) => {
        const { [key]: _, ...others } = all.servers;
        return { ...all, servers: record === undefined ? others : { ...others, [key]: record } };
      }),
  };
}
