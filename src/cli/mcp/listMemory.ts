/**
 * Caches what MCP servers listed in earlier sessions, in a file for each in `mcp-lists` of the data folder. A list
 * grants nothing: it is used only for a server that may be used, and only for exactly the same definition.
 */
import { createHash } from 'node:crypto';
import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { readSettingsText } from '../../config/files.ts';
import { serverHash } from '../../config/mcpServers.ts';
import { writePrivateFile } from '../../disk/privateFile.ts';
import type { ListMemory, RememberedLists } from '../../mcp/offeredTools.ts';
import { type McpServerSource, mcpTransport } from '../../protocol/extensions/mcp.ts';
import type { AppPaths } from '../process/appPaths.ts';

/** The oldest are deleted; their servers are then waited for once. */
const MAX_FILES = 200;
/** Longer lists are not remembered. */
const MAX_CHARACTERS = 300_000;

/** Changes when more is kept of a tool: a definition without it would look like a changed one. */
const KEPT = 2;

const fileSchema: z.ZodType<RememberedLists> = z.object({
  tools: z
    .array(
      z.object({
        name: z.string(),
        title: z.string().optional(),
        description: z.string(),
        inputSchema: z.record(z.string(), z.unknown()),
        annotations: z.record(z.string(), z.unknown()).optional(),
      }),
    )
    .max(500),
  prompts: z
    .array(
      z.object({
        name: z.string(),
        description: z.string(),
        arguments: z.array(z.object({ name: z.string(), required: z.boolean() })),
      }),
    )
    .max(500),
  resources: z.array(z.string()).max(500),
});

type Source = Pick<McpServerSource, 'name' | 'definition'>;

/** Returns the caches of servers. Damaged files are ignored, and so are write errors. */
export function createListMemories({
  dataRoot,
  root,
}: Pick<AppPaths, 'dataRoot' | 'root'>): (source: Source) => ListMemory {
  const folder = join(dataRoot, 'mcp-lists');
  return (source) => {
    const file = join(folder, `${keyOf(source, root)}.json`);
    return {
      async read() {
        try {
          return fileSchema.parse(JSON.parse(await readSettingsText(file)));
        } catch {
          return undefined;
        }
      },
      async write(lists) {
        try {
          const text = lists === undefined ? undefined : JSON.stringify(lists);
          if (text === undefined || text.length > MAX_CHARACTERS) return await rm(file, { force: true });
          if ((await readSettingsText(file).catch(() => '')) === text) return;
          await writePrivateFile(file, text);
          await prune(folder);
        } catch {
          // Without a cache, the next session waits for the server.
        }
      },
    };
  };
}

/** A program may offer other tools in another folder. */
function keyOf(source: Source, root: string): string {
  const place = mcpTransport(source.definition) === 'stdio' ? root : '';
  return createHash('sha256')
    .update(`${KEPT}\n${serverHash(source)}\n${place}`)
    .digest('hex');
}

async function prune(folder: string): Promise<void> {
  const names = await readdir(folder);
  if (names.length <= MAX_FILES) return;
  const files = await Promise.all(
    names.map(async (name) => {
      const file = join(folder, name);
      return { file, atMs: (await stat(file).catch(() => undefined))?.mtimeMs ?? 0 };
    }),
  );
  const oldest = files.sort((a, b) => a.atMs - b.atMs).slice(0, names.length - MAX_FILES);
  await Promise.all(oldest.map(({ file }) => rm(file, { force: true })));
}
