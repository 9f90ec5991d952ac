/**
 * Remembers the smallest request that a server rejected for its bytes, by endpoint: `request-limits.json` in the data
 * folder.
 */
import { join } from 'node:path';
import * as z from 'zod';
import { openJsonFile } from '../../disk/jsonFile.ts';
import type { RequestLimit } from '../../model/wires/exchange.ts';

interface RequestLimitOptions {
  readonly dataRoot: string;
  readonly baseUrl: string;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  /** Called if the file could not be written. */
  readonly onError: (error: unknown) => void;
}

/** Oldest first. */
const fileSchema = z.object({
  limits: z.array(z.object({ endpoint: z.string(), bytes: z.int().min(1), learnedAt: z.string() })),
});

/** Maximum number of endpoints; the oldest are dropped. */
const MOST = 50;
/** Entries expire, because an administrator may have raised the limit. */
const GOOD_FOR_MS = 24 * 60 * 60_000;

/** Opens the limit of one endpoint; the file is read on first use. Never throws. */
export function openRequestLimit({ dataRoot, baseUrl, now, onError }: RequestLimitOptions): RequestLimit {
  const file = openJsonFile<z.infer<typeof fileSchema>>({
    file: join(dataRoot, 'request-limits.json'),
    parse: (value) => fileSchema.parse(value),
    empty: { limits: [] },
  });
  const endpoint = URL.canParse(baseUrl) ? new URL(baseUrl).origin : undefined;
  let known: { readonly bytes: number; readonly learnedAt: string } | undefined;
  let isRead = false;
  const save = async (added: z.infer<typeof fileSchema>['limits']): Promise<void> => {
    await file
      .change(({ limits }) => ({
        limits: [...limits.filter((one) => one.endpoint !== endpoint), ...added].slice(-MOST),
      }))
      .catch(onError);
  };
  const rejectedBytes = (): number | undefined => {
    if (!isRead) known = file.read().limits.find((one) => one.endpoint === endpoint);
    isRead = true;
    return known !== undefined && now() - Date.parse(known.learnedAt) < GOOD_FOR_MS ? known.bytes : undefined;
  };
  return {
    rejectedBytes,
    async learn(rejected) {
      const bytes = Math.min(rejected, rejectedBytes() ?? rejected);
      known = { bytes, learnedAt: new Date(now()).toISOString() };
      if (endpoint !== undefined) await save([{ endpoint, ...known }]);
    },
    async forget() {
      [known, isRead] = [undefined, true];
      if (endpoint !== undefined) await save([]);
    },
  };
}
