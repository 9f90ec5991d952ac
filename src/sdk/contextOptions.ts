/** The options of a context, checked; and the stores that they name. */
import * as z from 'zod';
import {
  type ContextManagerDeps,
  MemorySessionStore,
  PersistentStore,
  type SessionStore,
} from '../context/index.ts';
import type { ModelInfo } from '../protocol/models/model.ts';
import { contextSettingsSchema } from '../protocol/settings/contextSettings.ts';
import type { ContextModel, ContextStore, Summarize } from './api/context.ts';
import { ContextError } from './errors.ts';

/** Characters of a title: in memory, it is the first message. */
const MAX_TITLE = 200;

/** The implementations of the stores that were given out. */
const stores = new WeakMap<ContextStore, SessionStore>();

/** See `fileStore` in `api/context.ts`. */
export function openStore(folder: string | undefined, programVersion: string): ContextStore {
  const store =
    folder === undefined
      ? new MemorySessionStore({ programVersion })
      : new PersistentStore({ dataRoot: folder, projectRoot: folder, project: 'contexts', programVersion });
  const opened: ContextStore = {
    folder,
    list: async () =>
      (await store.listSessions()).map(({ id, title, updatedAt }) => ({
        id,
        title: title.slice(0, MAX_TITLE),
        updatedAt,
      })),
  };
  stores.set(opened, store);
  return opened;
}

export const storeBehind = (store: ContextStore): SessionStore | undefined => stores.get(store);

/** What is used if a model's reply has no known limit. */
const MAX_OUTPUT = 8192;

const model = z.strictObject({
  id: z.string().min(1),
  contextWindow: z.int().min(2000),
  maxOutputTokens: z.int().min(1).optional(),
  tokenizer: z.enum(['o200k_base', 'cl100k_base']).optional(),
});
const optionsSchema = z.strictObject({
  model,
  store: z
    .custom<ContextStore>((value) => stores.has(value as ContextStore), {
      error: 'expected what fileStore or memoryStore returns',
    })
    .optional(),
  systemPrompt: z.string().optional(),
  id: z.string().optional(),
  tools: z
    .array(
      z.strictObject({
        name: z.string().min(1),
        description: z.string(),
        parameters: z.record(z.string(), z.unknown()),
      }),
    )
    .optional(),
  summarize: z
    .custom<Summarize>((value) => typeof value === 'function', { error: 'expected a function' })
    .optional(),
  settings: z.record(z.string(), z.unknown()).optional(),
});

export type CheckedContextOptions = z.infer<typeof optionsSchema> & {
  readonly settings: ContextManagerDeps['settings'];
};

/** Throws a `ContextError` that names the option. */
export function checkContextOptions(given: unknown): CheckedContextOptions {
  const parsed = optionsSchema.safeParse(given);
  if (!parsed.success) throw mistake('options', parsed.error);
  const { settings = {}, summarize } = parsed.data;
  const compact = z.record(z.string(), z.unknown()).safeParse(settings.compact).data;
  const applied = contextSettingsSchema.safeParse({
    // Nothing runs in the background: requests wait for the summary.
    ...{ strategy: 'summary', threadSummary: 'off' },
    ...(summarize === undefined ? { summary: 'simple' } : {}),
    ...settings,
    // The engine would read files that tool calls name; here they are not known to be files.
    compact: { ...compact, maxFiles: 0 },
  });
  if (!applied.success) throw mistake('options.settings', applied.error);
  return { ...parsed.data, settings: applied.data };
}

/** Throws a `ContextError`. */
export function checkModel(given: unknown): ContextModel {
  const parsed = model.safeParse(given);
  if (!parsed.success) throw mistake('model', parsed.error);
  return parsed.data as ContextModel;
}

function mistake(what: string, { issues: [issue] }: z.ZodError): ContextError {
  const path = [what, ...(issue?.path ?? []).map(String)].join('.');
  const why = issue?.message.replace(/^Invalid input: /, '') ?? 'not valid';
  return new ContextError('options', `${path}: ${why}.`);
}

export function infoOf({ id, contextWindow, maxOutputTokens, tokenizer }: z.infer<typeof model>): ModelInfo {
  return {
    ...{ id, windowTokens: contextWindow, source: 'setting' },
    tokenizer: tokenizer ?? 'unknown',
    maxOutputTokens: maxOutputTokens ?? Math.min(MAX_OUTPUT, Math.floor(contextWindow / 4)),
  };
}
