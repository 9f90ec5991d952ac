/**
 * Remembers context windows that servers named in overflow errors, by endpoint and model: `windows.json` in the
 * data folder. A missing or damaged file counts as empty and is overwritten.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import * as z from 'zod';
import { writePrivateFile } from '../../config/files.ts';

export interface LearnedWindows {
  /** Tokens. */
  get(model: string): number | undefined;
  /** Takes effect immediately; resolves when written to disk. Never rejects. */
  remember(model: string, tokens: number): Promise<void>;
}

interface LearnedWindowsOptions {
  readonly dataRoot: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now?: () => number;
  /** Called if the file could not be written. */
  readonly onError?: (error: unknown) => void;
}

/** Oldest first. */
const fileSchema = z.object({
  windows: z.array(
    z.object({
      endpoint: z.string(),
      model: z.string(),
      tokens: z.int().min(1),
      learnedAt: z.string(),
    }),
  ),
});
type Windows = z.infer<typeof fileSchema>['windows'];

/** Maximum number of entries; the oldest are dropped. */
const MOST = 200;

/** Loads the windows learned for one endpoint. Never rejects. */
export async function openLearnedWindows(options: LearnedWindowsOptions): Promise<LearnedWindows> {
  const { dataRoot, baseUrl, now = Date.now, onError = () => {} } = options;
  const file = join(dataRoot, 'windows.json');
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  const here = (await readWindows(file)).filter((one) => one.endpoint === endpoint);
  const known = new Map(here.map(({ model, tokens }) => [model, tokens]));
  let writing = Promise.resolve();

  async function write(added: Windows[number]): Promise<void> {
    // Another process may have added entries.
    const others = (await readWindows(file)).filter(
      ({ endpoint: at, model }) => at !== added.endpoint || model !== added.model,
    );
    const windows = [...others, added].slice(-MOST);
    await writePrivateFile(file, `${JSON.stringify({ windows }, null, 2)}\n`);
  }

  return {
    get: (model) => known.get(model),
    remember(model, tokens) {
      known.set(model, tokens);
      if (endpoint === undefined) return Promise.resolve();
      const added = { endpoint, model, tokens, learnedAt: new Date(now()).toISOString() };
      writing = writing.then(() => write(added)).catch(onError);
      return writing;
    },
  };
}

async function readWindows(file: string): Promise<Windows> {
  const text = await readFile(file, 'utf8').catch(() => '');
  try {
    return fileSchema.parse(JSON.parse(text)).windows;
  } catch {
    return [];
  }
}
