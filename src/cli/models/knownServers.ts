/**
 * Remembers which kind of server answered at an endpoint: `servers.json` in the data folder. A known local
 * server is queried in one way instead of eight.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';
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

/** Maximum number of endpoints; the oldest are dropped. */
const MOST = 50;
/** Entries expire, because another server may listen on the same port tomorrow. */
const GOOD_FOR_MS = 24 * 60 * 60_000;

/** Opens the memory for one endpoint; the file is read on first use. Never rejects. */
export function openKnownServers(options: KnownServersOptions): ServerMemory {
  const { dataRoot, baseUrl, now, onError = () => {} } = options;
  const file = openJsonFile<z.infer<typeof fileSchema>>({
    file: join(dataRoot, 'servers.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { servers: [] },
  });
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  let known: Promise<RememberedKind | undefined> | undefined;

  async function read(): Promise<RememberedKind | undefined> {
    const found = file.read().servers.find((one) => one.endpoint === endpoint);
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
        const added = { endpoint, kind, seenAt: new Date(now()).toISOString() };
        await file.change(({ servers }) => ({
          servers: [...servers.filter((one) => one.endpoint !== endpoint), added].slice(-MOST),
        }));
      } catch (error) {
        onError(error);
      }
    },
  };
}
