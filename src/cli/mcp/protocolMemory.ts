/**
 * The servers that speak only the newer MCP protocol: `mcp-protocols.json` in the program's own folder. Each is known by
 * the hash of its definition, so that a changed one is asked again.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { readSettingsText, writePrivateFile } from '../../config/files.ts';
import { serverHash } from '../../config/mcpServers.ts';
import type { ProtocolMemory } from '../../mcp/protocolVersion.ts';
import type { McpServerSource } from '../../protocol/extensions/mcp.ts';

/** The oldest are forgotten; that costs a second start. */
const MAX_REMEMBERED = 200;

const fileSchema = z.object({ modern: z.array(z.string().length(64)).max(MAX_REMEMBERED) });

/**
 * Returns the memories of servers. A damaged file is no memory, and one that cannot be written does not matter. Writes
 * wait for each other, since servers connect in parallel.
 */
export function createProtocolMemories(
  dataRoot: string,
): (source: Pick<McpServerSource, 'name' | 'definition'>) => ProtocolMemory {
  const file = join(dataRoot, 'mcp-protocols.json');
  let writing = Promise.resolve();
  const readAll = async (): Promise<readonly string[]> => {
    try {
      return fileSchema.parse(JSON.parse(await readSettingsText(file))).modern;
    } catch {
      return [];
    }
  };
  const write = async (hash: string, isModern: boolean): Promise<void> => {
    const others = (await readAll()).filter((one) => one !== hash);
    const modern = (isModern ? [...others, hash] : others).slice(-MAX_REMEMBERED);
    await writePrivateFile(file, `${JSON.stringify({ modern }, null, 2)}\n`).catch(() => undefined);
  };
  return (source) => {
    const hash = serverHash(source);
    return {
      isModern: async () => (await readAll()).includes(hash),
      remember(isModern) {
        writing = writing.then(() => write(hash, isModern));
        return writing;
      },
    };
  };
}
