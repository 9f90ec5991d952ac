/** Tokens of MCP servers: `credentials-mcp.json` in the data folder, readable only by its owner. */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';
import type { AuthRecord, AuthStore } from '../../mcp/auth.ts';

const fileSchema = z.looseObject({ servers: z.record(z.string(), z.looseObject({})).default({}) });

/** A login has a few kilobytes. A server that sends more must not fill the file that it shares with others. */
const MAX_LOGIN_BYTES = 100_000;
/** Of a hundred servers. */
const MAX_BYTES = 10_000_000;

/** Stores one server's login by its name and URL, so that tokens are never sent to another URL. */
export function createAuthStore(dataRoot: string, name: string, url: URL): AuthStore {
  const file = openJsonFile<{ readonly servers: Readonly<Record<string, object>> }>({
    file: join(dataRoot, 'credentials-mcp.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { servers: {} },
    maxBytes: MAX_BYTES,
  });
  const key = `${name} ${url.href}`;
  return {
    async read() {
      const { servers } = file.read();
      return Object.hasOwn(servers, key) ? (servers[key] as AuthRecord) : undefined;
    },
    async write(record) {
      if (record !== undefined && Buffer.byteLength(JSON.stringify(record)) > MAX_LOGIN_BYTES)
        throw new Error(`The login is larger than ${MAX_LOGIN_BYTES / 1000} KB and was not saved.`);
      await file.change((all) => {
        const { [key]: _, ...others } = all.servers;
        return { ...all, servers: record === undefined ? others : { ...others, [key]: record } };
      });
    },
  };
}
