/**
 * Runs the subagents of one agent, at most eight at a time, in the foreground or background. Each has its own session;
 * what it spends, asks and changes on disk belongs to the session of the agent that started it.
 */
import type { NewEntry } from '../../protocol/entries.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { SubagentStatus } from '../../protocol/extensions/subagents.ts';
import type { WorktreeEnd } from '../../protocol/extensions/worktrees.ts';
import type { TaskChange, TaskInfo, TaskOutput, TaskPort } from '../../protocol/tasks.ts';
import type { ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import { untilAborted } from '../../protocol/untilAborted.ts';
import type { AgentCall } from './agentTool.ts';
import {
  addProgress,
  backgroundSummary,
  displayOf,
  type EndedSubagent,
  launchedResponse,
  noProgress,
  noteText,
  outcomeLabel,
  outcomeOf,
  type Progress,
  responseOf,
} from './result.ts';
import {
  type ChildRequest,
  type OpenedChild,
  type ParentAgent,
  type SubagentPort,
  stricterMode,
} from './types.ts';

/** Maximum subagents that run at the same time; others wait. */
const MAX_RUNNING = 8;
/** Maximum background subagents that have ended and are still listed. */
const MAX_ENDED = 50;
/** Maximum characters of a background subagent's message; in the foreground it is shortened like any result. */
const MAX_NOTE = 20_000;

interface SubagentDeps {
  readonly port: SubagentPort;
  /** What a subagent gets from the agent that starts it, for one call. */
  readonly lend: (callId: string) => Omit<ParentAgent, 'ask'>;
  readonly ask: ParentAgent['ask'];
  readonly emit: (event: AgentEvent) => void;
  /** Appends to the log of the agent that starts it. */
  readonly record: (entry: NewEntry) => Promise<unknown>;
  /** False in headless runs, which end with the turn: nothing runs in the background. */
  readonly interactive: boolean;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
  readonly onError: (error: unknown) => void;
}

/** One subagent. */
interface Job {
  readonly id: string;
  readonly call: AgentCall;
  readonly callId: string;
  readonly startedAtMs: number;
  readonly stopping: AbortController;
  readonly watchers: Set<() => void>;
  progress: Progress;
  log?: string | undefined;
  worktree?: WorktreeEnd;
  isBackground: boolean;
  stoppedBy?: 'turn' | 'user';
  ended?: EndedSubagent;
  /** The model has been told how it ended. */
  isReported?: boolean;
}

export class Subagents implements TaskPort {
  readonly #deps: SubagentDeps;
  /** Background and running subagents, in the order in which they were started. */
  readonly #jobs = new Map<string, Job>();
  /** What `close` waits for. */
  readonly #working = new Set<Promise<unknown>>();
  readonly #listeners = new Set<(change: TaskChange) => void>();
  /** Resolvers of subagents that wait for others to end. */
  readonly #waiting: (() => void)[] = [];
  #running = 0;

  constructor(deps: SubagentDeps) {
    this.#deps = deps;
  }

  /** Starts a subagent for a call, and waits for it unless it runs in the background. Never rejects. */
  async start(call: AgentCall, context: ToolContext): Promise<ToolOutcome> {
    const job = await this.#add(call, context);
    const working = this.#work(job, context);
    this.#track(working);
    return job.isBackground ? startedOutcome(job) : this.#waitFor(job, working, context);
  }

  list(): readonly TaskInfo[] {
    return [...this.#jobs.values()].map((job) => this.#infoOf(job));
  }

  output(id: string): TaskOutput | undefined {
    const job = this.#jobs.get(id);
    if (job === undefined) return undefined;
    const { calls, moreCalls, text } = job.progress;
    const more = moreCalls === 0 ? [] : [`… and ${moreCalls} more calls`];
    return { text: [...calls, ...more, ...(text === '' ? [] : ['', text])].join('\n'), missing: 0 };
  }

  stop(id: string): void {
    const job = this.#jobs.get(id);
    if (job !== undefined) stopJob(job, 'user');
  }

  takeUnreported(): readonly TaskInfo[] {
    const unreported = [...this.#jobs.values()].flatMap((job) =>
      job.ended !== undefined && job.isReported !== true ? [{ job, ended: job.ended }] : [],
    );
    return unreported.map(({ job, ended }) => {
      job.isReported = true;
      return { ...this.#infoOf(job), note: boundedNote(ended) };
    });
  }

  subscribe(listener: (change: TaskChange) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  watch(id: string, listener: () => void): () => void {
    const watchers = this.#jobs.get(id)?.watchers;
    watchers?.add(listener);
    return () => watchers?.delete(listener);
  }

  /** Stops everything that still runs; resolves when all of it has ended. */
  async close(): Promise<void> {
    for (const job of this.#jobs.values()) stopJob(job, 'turn');
    // A subagent that ends may leave something to be removed.
    while (this.#working.size > 0) await Promise.all(this.#working);
  }

  /** `work` never rejects. */
  #track(work: Promise<unknown>): void {
    this.#working.add(work);
    void work.then(() => this.#working.delete(work));
  }

  async #add(call: AgentCall, { callId, sessionId }: ToolContext): Promise<Job> {
    const job: Job = {
      id: await this.#deps.port.newId(sessionId),
      call,
      callId,
      startedAtMs: this.#deps.now(),
      stopping: new AbortController(),
      watchers: new Set(),
      progress: noProgress,
      isBackground: call.isBackground && this.#deps.interactive,
    };
    this.#jobs.set(job.id, job);
    this.#notify({ type: 'started', id: job.id });
    this.#show(job, noProgress);
    return job;
  }

  /** Waits until it ends, the turn is interrupted, or the user moves it to the background. */
  async #waitFor(job: Job, working: Promise<EndedSubagent>, context: ToolContext): Promise<ToolOutcome> {
    const stop = (): void => stopJob(job, 'turn');
    context.signal.addEventListener('abort', stop, { once: true });
    if (context.signal.aborted) stop();
    let withdraw: (() => void) | undefined;
    const moved = new Promise<'moved'>((resolve) => {
      withdraw = context.offerBackground?.(() => resolve('moved'));
    });
    try {
      const ended = await Promise.race([working, moved]);
      if (ended !== 'moved')
        return { ...outcomeOf(ended), response: () => responseOf(ended, job.call.prompt) };
      job.isBackground = true;
      return startedOutcome(job);
    } finally {
      withdraw?.();
      context.signal.removeEventListener('abort', stop);
    }
  }

  /** Runs it to its end. Never rejects. */
  async #work(job: Job, context: ToolContext): Promise<EndedSubagent> {
    await this.#takeTurn(job.stopping.signal);
    let problem: string | undefined;
    try {
      if (!job.stopping.signal.aborted) await this.#run(job, context);
    } catch (error) {
      problem = error instanceof Error ? error.message : String(error);
      this.#deps.onError(error);
    } finally {
      this.#running -= 1;
      if (this.#running < MAX_RUNNING) this.#waiting.shift()?.();
    }
    const ended = this.#endedOf(job, problem);
    job.ended = ended;
    this.#forget(job);
    this.#notify({ type: 'ended', id: job.id, isKnown: !job.isBackground });
    return ended;
  }

  /** Resolves when there is room for one more, or when the subagent is stopped. */
  async #takeTurn(signal: AbortSignal): Promise<void> {
    if (this.#running >= MAX_RUNNING && !signal.aborted)
      await new Promise<void>((resolve) => {
        this.#waiting.push(resolve);
        const leave = (): void => {
          const at = this.#waiting.indexOf(resolve);
          if (at !== -1) this.#waiting.splice(at, 1);
          resolve();
        };
        signal.addEventListener('abort', leave, { once: true });
      });
    this.#running += 1;
  }

  async #run(job: Job, context: ToolContext): Promise<void> {
    const { call, callId, id, stopping } = job;
    const { definition, model, description, prompt } = call;
    const { lend, ask } = this.#deps;
    const lent = lend(callId);
    const from = `${definition.name}: ${description}`;
    let where: { readonly worktree?: string } = {};
    const child = await this.#open({
      ...{ id, definition, model, callId, description },
      ...{ sessionId: context.sessionId, cwd: context.cwd(), isIsolated: call.isIsolated },
      parent: {
        ...lent,
        mode: () => stricterMode(lent.mode(), definition.permissionMode),
        ask: (asked, signal, apply) => this.#ask(job, () => ask({ ...asked, from, ...where }, signal, apply)),
      },
      signal: stopping.signal,
    });
    if (child === undefined) return;
    const { agent, worktree } = child;
    if (worktree !== undefined) where = { worktree: worktree.path };
    job.log = child.log;
    agent.subscribe((event) => this.#handle(job, event));
    const stop = (): void => agent.submit({ type: 'interrupt' });
    stopping.signal.addEventListener('abort', stop);
    try {
      agent.submit({ type: 'prompt', text: prompt });
      if (stopping.signal.aborted) stop();
      await agent.idle();
    } finally {
      stopping.signal.removeEventListener('abort', stop);
      await agent.close();
      if (worktree !== undefined) job.worktree = await worktree.end();
    }
  }

  /**
   * Undefined if it is stopped before it is created. What there is of it by then is removed in the background: git and
   * the disk may be slow.
   */
  async #open(request: ChildRequest): Promise<OpenedChild | undefined> {
    const opening = this.#deps.port.open(request);
    const child = await untilAborted(opening, request.signal).catch((error: unknown) => {
      if (!request.signal.aborted) throw error;
    });
    if (child !== undefined) return child;
    const discard = async ({ agent, worktree }: OpenedChild): Promise<void> => {
      await agent.close();
      await worktree?.end();
    };
    this.#track(opening.then(discard, () => undefined).catch(this.#deps.onError));
    return undefined;
  }

  /** While its question is open, a subagent shows that it waits for the user. */
  async #ask<T>(job: Job, ask: () => Promise<T>): Promise<T> {
    const { doing } = job.progress;
    this.#show(job, { ...job.progress, doing: 'waiting for your answer' });
    try {
      return await ask();
    } finally {
      this.#show(job, { ...job.progress, doing });
    }
  }

  #handle(job: Job, event: AgentEvent): void {
    const { emit, record, onError } = this.#deps;
    const { callId, id, call } = job;
    if (event.type === 'entry') {
      emit({ type: 'subagent_entry', callId, id, entry: event.entry });
      const { usage, model } = event.entry.message;
      if (usage !== undefined) void record(usageEntry(id, usage, model)).catch(onError);
    }
    if (event.type === 'notice') emit({ ...event, text: `${call.definition.name} ${id}: ${event.text}` });
    const progress = addProgress(job.progress, event);
    if (progress !== job.progress) this.#show(job, progress);
  }

  #show(job: Job, progress: Progress): void {
    job.progress = progress;
    if (job.ended !== undefined) return;
    this.#deps.emit({ type: 'subagent_changed', status: statusOf(job) });
    for (const watcher of [...job.watchers]) watcher();
  }

  #endedOf(job: Job, problem: string | undefined): EndedSubagent {
    const { id, call, log, progress, stoppedBy, startedAtMs, worktree } = job;
    return {
      ...{ id, agent: call.definition.name, description: call.description, log, progress, worktree },
      durationMs: this.#deps.now() - startedAtMs,
      stoppedBy: progress.outcome === 'done' ? undefined : stoppedBy,
      problem,
    };
  }

  /** A foreground subagent is in the transcript once it has ended; of the others, the newest stay listed. */
  #forget(job: Job): void {
    if (!job.isBackground) this.#jobs.delete(job.id);
    const ended = [...this.#jobs.values()].filter((one) => one.ended !== undefined);
    for (const old of ended.slice(0, Math.max(0, ended.length - MAX_ENDED))) this.#jobs.delete(old.id);
  }

  #notify(change: TaskChange): void {
    for (const listener of [...this.#listeners]) listener(change);
  }

  #infoOf(job: Job): TaskInfo {
    const { id, call, startedAtMs, progress, ended, stoppedBy } = job;
    const info = {
      id,
      kind: 'subagent' as const,
      command: `${call.definition.name}: ${call.description}`,
      startedAtMs,
      lastLine: ended === undefined ? progress.doing : firstLine(progress.text),
    };
    if (ended === undefined) return info;
    return {
      ...info,
      end: {
        endedAtMs: startedAtMs + ended.durationMs,
        outcome: outcomeLabel(ended),
        ...(ended.stoppedBy === undefined || stoppedBy === undefined ? {} : { stoppedBy: 'user' as const }),
      },
    };
  }
}

function stopJob(job: Job, by: 'turn' | 'user'): void {
  if (job.ended !== undefined) return;
  job.stoppedBy ??= by;
  job.stopping.abort();
}

function statusOf({ callId, id, call, startedAtMs, progress }: Job): SubagentStatus {
  const { step, doing, tokens } = progress;
  const { definition, description } = call;
  return { callId, id, agent: definition.name, description, startedAtMs, step, doing, tokens };
}

/** The outcome of a call whose subagent continues in the background. */
function startedOutcome(job: Job): ToolOutcome {
  const { id, call, log, progress } = job;
  const agent = call.definition.name;
  const display = displayOf({ id, agent, description: call.description, log, progress, durationMs: 0 });
  return {
    status: 'ok',
    text: `The subagent ${id} runs in the background. You will get its message when it ends; do not wait for it.`,
    kind: 'text',
    display: { ...display, summary: backgroundSummary(id) },
    response: () => launchedResponse({ id, description: call.description, log }, call.prompt),
  };
}

/** The usage entry of a subagent's request, for the totals of the session. */
function usageEntry(
  id: string,
  usage: NonNullable<NewEntry['message']['usage']>,
  model: string | undefined,
): NewEntry {
  return {
    type: 'system',
    subtype: 'usage',
    message: { role: 'system', content: '', usage, ...(model === undefined ? {} : { model }) },
    data: { purpose: `subagent ${id}` },
  };
}

function boundedNote(ended: EndedSubagent): string {
  const text = noteText(ended);
  if (text.length <= MAX_NOTE) return text;
  const rest = ended.log === undefined ? '' : ` The full message is in ${ended.log}.`;
  return `${text.slice(0, MAX_NOTE).toWellFormed()}\n(cut: ${text.length - MAX_NOTE} more characters.${rest})`;
}

const firstLine = (text: string): string => text.trimStart().split('\n', 1).join('').slice(0, 200);
