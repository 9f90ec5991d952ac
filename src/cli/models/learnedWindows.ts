/**
 * Remembers context windows that servers named in overflow errors, by endpoint and model: `windows.json` in the
 * data folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';

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
  const file = openJsonFile<{ readonly windows: Windows }>({
    file: join(dataRoot, 'windows.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { windows: [] },
  });
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  const here = file.read().windows.filter((one) => one.endpoint === endpoint);
  const known = new Map(here.map(({ model, tokens }) => [model, tokens]));

  async function write(added: Windows[number]): Promise<void> {
    await file.change(({ windows }) => {
      const others = windows.filter(
        ({ endpoint: at, model }) => at !== added.endpoint || model !== added.model,
      );
      return { windows: [...others, added].slice(-MOST) };
    });
  }

  return {
    get: (model) => known.get(model),
    remember(model, tokens) {
      known.set(model, tokens);
      if (endpoint === undefined) return Promise.resolve();
      const added = { endpoint, model, tokens, learnedAt: new Date(now()).toISOString() };
      return write(added).catch(onError);
    },
  };
}
