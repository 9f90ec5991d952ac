/**
 * Which kind of server answered at an endpoint the last time: `servers.json` in the program's own directory. A local
 * server is then asked in one way instead of eight. A file that is missing or damaged remembers nothing.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';
import type { RememberedKind, ServerMemory } from '../../model/servers/servedModels.ts';

export interface KnownServersOptions {
  readonly dataRoot: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Hears of a file that could not be written. */
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

/** Endpoints that are kept; beyond it the oldest go. */
const MOST = 50;
/** Another server may listen on the same port tomorrow. */
const GOOD_FOR_MS = 24 * 60 * 60_000;

/** What is remembered of the server at one endpoint; read when it is first asked for. Never rejects. */
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
