/**
 * Remembers which kind of server answered at an endpoint: `servers.json` in the data folder. A known local
 * server is queried in one way instead of eight. A missing or damaged file counts as empty.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import type { RememberedKind, ServerMemory } from '../../model/servers/servedModels.ts';

interface KnownServersOptions {
  readonly dataRoot: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called if the file could not be written. */
  readonly onError?: (error: unknown) => void;
}

/** Oldest first. */
const fileSchema = z.object({
  servers: z.array(
    z.object({
      endpoint: z.string(),
      kind: z.enum(['ollama', 'lmstudio', 'llamacpp', 'vllm', 'openai', 'other', 'silent']),
      seenAt: z.string(),
    }),
  ),
});
type Servers = z.infer<typeof fileSchema>['servers'];

/** Maximum number of endpoints; the oldest are dropped. */
const MOST = 50;
/** Entries expire, because another server may listen on the same port tomorrow. */
const GOOD_FOR_MS = 24 * 60 * 60_000;

/** Opens the memory for one endpoint; the file is read on first use. Never rejects. */
export function openKnownServers(options: KnownServersOptions): ServerMemory {
  const { dataRoot, baseUrl, now, onError = () => {} } = options;
  const file = join(dataRoot, 'servers.json');
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  let known: Promise<RememberedKind | undefined> | undefined;

  async function read(): Promise<RememberedKind | undefined> {
    const found = (await readServers(file)).find((one) => one.endpoint === endpoint);
    return found !== undefined && now() - Date.parse(found.seenAt) < GOOD_FOR_MS ? found.kind : undefined;
  }

  return {
    recall() {
      known ??= read();
      return known;
    },
    async remember(kind) {
      known = Promise.resolve(kind);
      if (endpoint === undefined) return;
      try {
        const others = (await readServers(file)).filter((one) => one.endpoint !== endpoint);
        const added = { endpoint, kind, seenAt: new Date(now()).toISOString() };
        await writePrivateFile(
          file,
          `${JSON.stringify({ servers: [...others, added].slice(-MOST) }, null, 2)}\n`,
        );
      } catch (error) {
        onError(error);
      }
    },
  };
}

async function readServers(file: string): Promise<Servers> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return fileSchema.parse(JSON.parse(text)).servers;
  } catch {
    return [];
  }
}
