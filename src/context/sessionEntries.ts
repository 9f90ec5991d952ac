/** Entries that start a session, record a reply or close calls after a crash, and the data of a header. */
import type { JSONLEntry, NewEntry } from '../protocol/entries.ts';
import type { Reasoning, Usage } from '../protocol/messages.ts';
import type { Reply } from '../protocol/models/model.ts';
import { groupAtoms } from './history/atoms.ts';
import { evictedPrefixOf } from './history/evictedPrefix.ts';
import { type NotedRequest, recordOf } from './request/requestRecord.ts';
import { INTERRUPTED_RESULT } from './request/standardMessages.ts';
import { NOTE_FORMAT } from './request/systemNotes.ts';
import { toolResultEntry, toolUseEntry } from './storage/newEntries.ts';
import type { OpenCallResult, ReplyEnd, SessionConfiguration, SessionHeader } from './types.ts';

/** The header of a session, followed by its pinned instructions. */
export function headerEntries(
  userId: string | undefined,
  preferences: Readonly<Record<string, unknown>>,
  { systemPrompt, noteKey, environment, instructions, sessionId: _, ...configuration }: SessionConfiguration,
): NewEntry[] {
  const data: SessionHeader = {
    systemPrompt,
    ...(noteKey === undefined ? {} : { noteKey, noteFormat: NOTE_FORMAT }),
    environment: environment ?? {},
    preferences,
    configuration,
    ...(userId === undefined ? {} : { userId }),
  };
  const header: NewEntry = {
    type: 'system',
    subtype: 'session_start',
    message: { role: 'system', content: '' },
    data: { ...data },
  };
  if (instructions === undefined || instructions.trim() === '') return [header];
  const block: NewEntry = {
    type: 'user',
    subtype: 'instructions',
    message: { role: 'user', content: instructions },
  };
  return [header, block];
}

/** The session's header data; undefined if the log has lost its header. */
export function headerOf(entries: readonly JSONLEntry[]): SessionHeader | undefined {
  const header = entries.find((entry) => entry.subtype === 'session_start');
  if (header === undefined) return undefined;
  const { noteKey, noteFormat, userId, ...data } = header.data ?? {};
  return {
    systemPrompt: data.systemPrompt ?? '',
    environment: data.environment ?? {},
    preferences: data.preferences ?? {},
    configuration: data.configuration ?? {},
    ...(noteKey === undefined ? {} : { noteKey }),
    ...(noteFormat === undefined ? {} : { noteFormat }),
    ...(userId === undefined ? {} : { userId }),
  };
}

/** A reply and one entry per call; `request` has the requested model and the counted tokens. */
export function replyEntries(
  { message, finishReason, usage, model }: Reply,
  request: NotedRequest | undefined,
  end: ReplyEnd,
): NewEntry[] {
  const said = {
    role: 'assistant' as const,
    content: message.content,
    ...(model === undefined && request === undefined ? {} : { model: model ?? request?.model }),
    finishReason,
    ...(message.reasoning === undefined ? {} : { reasoning: kept(message.reasoning) }),
    ...(usage === undefined ? {} : { usage: usageOf(usage) }),
    ...(end.interrupted === true ? { interrupted: true } : {}),
    ...(end.failed === true ? { failed: true } : {}),
    ...(end.durationMs === undefined ? {} : { durationMs: end.durationMs }),
  };
  const sample =
    usage === undefined || usage.isEstimated === true || request === undefined
      ? {}
      : {
          countedTokens: request.countedTokens,
          countedFeatures: [...request.features],
          requestModel: request.model,
        };
  const data = { ...sample, ...(request === undefined ? {} : recordOf(request, end.sent)) };
  const entry: NewEntry = {
    type: 'assistant',
    message: said,
    ...(Object.keys(data).length === 0 ? {} : { data }),
  };
  return [entry, ...message.toolCalls.map(toolUseEntry)];
}

/** A copy, as entries have it. */
function kept({ items, ...reasoning }: Reasoning): NonNullable<JSONLEntry['message']['reasoning']> {
  return { ...reasoning, ...(items === undefined ? {} : { items: items.map((item) => ({ ...item })) }) };
}

/** Calls without a result, which were running when the program stopped. */
function openCalls(
  entries: readonly JSONLEntry[],
): readonly { readonly id: string; readonly name: string }[] {
  const last = groupAtoms(entries).findLast((atom) => atom.kind === 'reply');
  // All calls before a compaction have results, but after a rewind they may be only in the file.
  const isPast = last !== undefined && last.head.seq <= (evictedPrefixOf(entries)?.throughSeq ?? -1);
  const open = isPast ? [] : (last?.calls.filter(({ result }) => result === undefined) ?? []);
  return open.map(({ call: { tool } }) => ({ id: tool?.id ?? '', name: tool?.name ?? '' }));
}

/** Results for calls that were running when the program stopped. The calls are not run again. */
export async function closingEntries(
  entries: readonly JSONLEntry[],
  describe: (call: { readonly id: string; readonly name: string }) => Promise<OpenCallResult | undefined>,
): Promise<NewEntry[]> {
  return Promise.all(
    openCalls(entries).map(async ({ id, name }) => {
      const known = await describe({ id, name }).catch(() => undefined);
      const { output = INTERRUPTED_RESULT, display = { title: name, summary: 'interrupted' } } = known ?? {};
      return toolResultEntry({ id, name, status: 'interrupted', output, display });
    }),
  );
}

/** Usage in the field names of the log. */
export function usageOf(usage: Usage): NonNullable<JSONLEntry['message']['usage']> {
  return {
    input_tokens: usage.inputTokens,
    output_tokens: usage.outputTokens,
    ...(usage.cachedTokens === undefined ? {} : { cached_tokens: usage.cachedTokens }),
    ...(usage.cacheWriteTokens === undefined ? {} : { cache_write_tokens: usage.cacheWriteTokens }),
    ...(usage.reasoningTokens === undefined ? {} : { reasoning_tokens: usage.reasoningTokens }),
    ...(usage.isEstimated === true ? { estimated: true } : {}),
  };
}

/** The environment that the model saw last: `data.block` of the last environment note, or of the header. */
export function lastEnvironmentOf(entries: readonly JSONLEntry[]): string | undefined {
  const note = entries.findLast((entry) => entry.subtype === 'environment');
  const block = note?.data?.block ?? headerOf(entries)?.environment.block;
  return typeof block === 'string' ? block : undefined;
}
