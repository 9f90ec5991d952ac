/** Records output of tools and commands in the log, shortened if necessary, and recalls the full output. */
import { resolve } from 'node:path';
import type { ToolDisplay } from '../../protocol/entries/fields.ts';
import { withoutModelNotes } from '../../protocol/entries/readEntry.ts';
import type { JSONLEntry, NewEntry } from '../../protocol/entries.ts';
import type { ToolCall } from '../../protocol/messages.ts';
import type { RecallAnswer, RecallRequest, ToolOutcome } from '../../protocol/tools.ts';
import { recall } from '../recall/recall.ts';
import type { Session } from '../session.ts';
import { toolResultEntry } from '../storage/newEntries.ts';
import { estimateTokens, HIGH } from '../tokens/estimate.ts';
import { headOf } from '../tokens/truncate.ts';
import type { ToolResultInput } from '../types.ts';
import {
  type BoundedOutput,
  boundOutput,
  limitsFor,
  OutputFolder,
  type OutputLimits,
  type OutputOptions,
  POINTER_TOKENS,
} from './boundOutput.ts';

export class ResultRecorder {
  readonly #session: Session;
  readonly #shares = new ResultShares();
  readonly #outputs: OutputFolder | undefined;

  constructor(session: Session) {
    this.#session = session;
    const { deps, log } = session;
    const { outputDir } = deps.settings.truncate;
    this.#outputs =
      outputDir === null
        ? undefined
        : new OutputFolder(resolve(deps.root, outputDir, log.sessionId), log.blobs);
  }

  /** Records the result of a call; the results of one reply share a budget. */
  async result({ call, outcome: raw, behind = [], ...facts }: ToolResultInput): Promise<JSONLEntry> {
    const { log, append, projection } = this.#session;
    const { window } = projection.budget();
    const limits = this.#shares.limitsOfNext(log.entries(), this.#limits(), window);
    const outcome = log.clean(raw);
    const bounded = await boundOutput(outcome, limits, log.blobs, this.#options(call.name));
    const [entry] = await append([resultEntry(call, outcome, bounded, facts), ...behind]);
    if (entry === undefined) throw new Error(`The log of ${log.sessionId} gave no entry for a result.`);
    return entry;
  }

  /** Records a command that the user ran. */
  async shell(typed: string, raw: ToolOutcome): Promise<JSONLEntry | undefined> {
    const { log, append } = this.#session;
    const [command, outcome] = [log.clean(typed), log.clean(raw)];
    const [entry] = await append([shellEntry(command, outcome, await this.#whole(outcome))]);
    return entry;
  }

  /** Looks up earlier content of the session by pointer, range or search. */
  recall(request: RecallRequest, signal: AbortSignal): Promise<RecallAnswer> {
    const { log, projection } = this.#session;
    const { noteKey } = projection.view();
    return recall(request, log.seen(), log.blobs, signal, { ...this.#limits(), noteKey });
  }

  #whole(outcome: ToolOutcome): Promise<BoundedOutput> {
    return boundOutput(outcome, this.#limits(), this.#session.log.blobs, this.#options('shell'));
  }

  #options(tool: string): OutputOptions {
    const { toolResultCompression, offload, truncate } = this.#session.deps.settings;
    return {
      tool,
      offload: toolResultCompression ? offload : null,
      direction: truncate.direction,
      outputs: this.#outputs,
    };
  }

  #limits(): ReturnType<typeof limitsFor> {
    const { deps, projection } = this.#session;
    return limitsFor(deps.settings.truncate, projection.budget().window);
  }
}

/** The entry for a call's result; `partial` if the model sees only part of a successful one. */
function resultEntry(
  call: ToolCall,
  outcome: ToolResultInput['outcome'],
  { text, original, partial, fullOutputPath, truncation }: BoundedOutput,
  { durationMs, permission }: Omit<ToolResultInput, 'call' | 'outcome' | 'behind'>,
): NewEntry {
  const failed = outcome.status !== 'ok' && outcome.status !== 'partial';
  const facts = 'kind' in outcome ? outcome : undefined;
  return toolResultEntry({
    id: call.id,
    name: call.name,
    output: text,
    status: outcome.status === 'ok' && partial ? 'partial' : outcome.status,
    display: partial && facts?.kind === 'file' ? withShownLines(outcome.display, text) : outcome.display,
    ...(failed
      ? { error: headOf(withoutModelNotes(outcome.text, outcome.display) || outcome.text, 200) }
      : {}),
    ...(facts === undefined ? {} : { kind: facts.kind }),
    ...(original === undefined ? {} : { original }),
    ...(fullOutputPath === undefined ? {} : { fullOutputPath }),
    ...(truncation === undefined ? {} : { truncation: { ...truncation } }),
    ...(facts?.filesChanged === undefined ? {} : { filesChanged: [...facts.filesChanged] }),
    ...(facts?.filesRead === undefined ? {} : { filesRead: [...facts.filesRead] }),
    ...(facts?.todos === undefined ? {} : { todos: [...facts.todos] }),
    ...(durationMs === undefined ? {} : { durationMs }),
    ...(permission === undefined ? {} : { permission }),
    ...(facts?.sandbox === undefined ? {} : { sandbox: facts.sandbox }),
  });
}

/** Replaces the display of a shortened file by the lines that are left, such as "lines 1-144 of 669". */
function withShownLines(display: ToolDisplay, text: string): ToolDisplay {
  const numbers = Array.from(text.matchAll(NUMBERED_LINE), ([, number]) => Number(number));
  const [first, last] = [numbers[0], numbers.at(-1)];
  if (first === undefined || last === undefined) return display;
  const of = display.totalLines === undefined ? '' : ` of ${display.totalLines}`;
  const hasGap = last - first >= numbers.length;
  const summary = hasGap ? `${numbers.length}${of} lines` : `lines ${first}-${last}${of}`;
  return { ...display, summary };
}

/** A file line as Read prints it. */
const NUMBERED_LINE = /^ *(\d+)\t/gm;

/** The entry for a command that the user ran with `!`; `data.outputAt` is the offset of its output in the content. */
function shellEntry(command: string, outcome: ToolOutcome, { text, original }: BoundedOutput): NewEntry {
  const head = `The user ran a command in the shell:\n$ ${command}\n\n`;
  const content = head + text;
  const { status, display } = outcome;
  const data = {
    command,
    outputAt: head.length,
    status,
    display,
    ...(original === undefined ? {} : { original }),
  };
  return { type: 'user', subtype: 'shell', message: { role: 'user', content }, data };
}

// The token budget shared by the results of one reply, first come, first served: a result may use the full limit of a
// single one while budget is left, but a useful minimum is reserved for each call still to come. Derived from the log
// alone.

export class ResultShares {
  /** Tokens of recorded results; entries never change. */
  readonly #tokens = new WeakMap<JSONLEntry, number>();

  /**
   * Limits of the next result of the newest reply. `single` are the limits of a reply with one call; `windowTokens` is
   * the context window.
   */
  limitsOfNext(entries: readonly JSONLEntry[], single: OutputLimits, windowTokens: number): OutputLimits {
    const { calls, results } = newestReply(entries);
    if (calls <= 1) return single;
    const used = results.reduce((sum, result) => sum + this.#tokensOf(result), 0);
    const budget = windowTokens * SHARE_OF_RESULTS;
    const left = budget - used;
    const later = Math.max(0, calls - results.length - 1);
    const firstCome = left - later * USEFUL_TOKENS;
    const equalShare = left / (later + 1);
    const maxTokens = Math.max(LEAST_TOKENS, Math.floor(Math.max(firstCome, equalShare)));
    return {
      maxLines: single.maxLines,
      maxBytes: single.maxBytes,
      maxTokens: Math.min(single.maxTokens ?? maxTokens, maxTokens),
      isSpent: left - Math.min(later * POINTER_TOKENS, MOST_FOR_POINTERS * budget) < LEAST_TOKENS,
    };
  }

  #tokensOf(result: JSONLEntry): number {
    const known = this.#tokens.get(result);
    if (known !== undefined) return known;
    const { output } = result.toolResult ?? {};
    const text = typeof output === 'string' ? output : (JSON.stringify(output) ?? '');
    const tokens = estimateTokens(text, HIGH);
    this.#tokens.set(result, tokens);
    return tokens;
  }
}

/**
 * A quarter of the window. `HIGH` overestimates source code and prose by 10 to 30 % (`npm run bench:tokens`), so by its
 * count a quarter is 0.3: four results of 45 kB of code fit a window of 200,000 tokens.
 */
const SHARE_OF_RESULTS = 0.3;
/** Tokens reserved for each call still to come: about 80 lines of code, or 3 kB. */
const USEFUL_TOKENS = 1000;
/** A shorter result is less useful than a pointer to the full output. */
const LEAST_TOKENS = 150;
/** Maximum share of the budget for pointers: with hundreds of calls in a small window, some is left for content. */
const MOST_FOR_POINTERS = 0.75;

/** Number of calls in the newest reply, and their results so far. */
function newestReply(entries: readonly JSONLEntry[]): {
  readonly calls: number;
  readonly results: readonly JSONLEntry[];
} {
  const results: JSONLEntry[] = [];
  let calls = 0;
  for (let index = entries.length - 1; index >= 0; index--) {
    const entry = entries[index];
    if (entry === undefined || entry.type === 'assistant') break;
    if (entry.type === 'tool_use') calls += 1;
    // The line of this reply is lost: the results before its calls belong to another reply.
    else if (entry.type === 'tool_result' && calls > 0) break;
    else if (entry.type === 'tool_result') results.push(entry);
  }
  return { calls, results };
}
