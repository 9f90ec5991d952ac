/**
 * Remembers context windows that servers named in overflow errors, and the models whose unknown window was reported to
 * the user, by endpoint and model: `windows.json` in the data folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';

export interface LearnedWindows {
  /** Tokens. */
  get(model: string): number | undefined;
  /** Takes effect immediately; resolves when written to disk. Never rejects. */
  remember(model: string, tokens: number): Promise<void>;
  /** True if the user was told that the window of this model is unknown. */
  isReported(model: string): boolean;
  /** Remembers that the user was told; otherwise like `remember`. */
  reported(model: string): Promise<void>;
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
  reported: z.array(z.object({ endpoint: z.string(), model: z.string() })).default([]),
});
type Remembered = z.infer<typeof fileSchema>;

/** Maximum number of entries of each list; the oldest are dropped. */
const MOST = 200;

/** Loads the windows learned for one endpoint. Never rejects. */
export async function openLearnedWindows(options: LearnedWindowsOptions): Promise<LearnedWindows> {
  const { dataRoot, baseUrl, now = Date.now, onError = () => {} } = options;
  const file = openJsonFile<Remembered>({
    file: join(dataRoot, 'windows.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { windows: [], reported: [] },
  });
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  const { windows, reported } = file.read();
  const isHere = (one: { readonly endpoint: string }): boolean => one.endpoint === endpoint;
  const known = new Map(windows.filter(isHere).map(({ model, tokens }) => [model, tokens]));
  const told = new Set(reported.filter(isHere).map(({ model }) => model));

  /** `added` replaces the entry of the same model. */
  const write = async <Name extends keyof Remembered>(
    name: Name,
    added: Remembered[Name][number],
  ): Promise<void> => {
    await file
      .change((all) => {
        const others = all[name].filter(
          (one) => one.endpoint !== added.endpoint || one.model !== added.model,
        );
        return { ...all, [name]: [...others, added].slice(-MOST) };
      })
      .catch(onError);
  };

  return {
    get: (model) => known.get(model),
    async remember(model, tokens) {
      known.set(model, tokens);
      if (endpoint !== undefined)
        await write('windows', { endpoint, model, tokens, learnedAt: new Date(now()).toISOString() });
    },
    isReported: (model) => told.has(model),
    async reported(model) {
      told.add(model);
      if (endpoint !== undefined) await write('reported', { endpoint, model });
    },
  };
}
