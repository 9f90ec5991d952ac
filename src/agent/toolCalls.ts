/**
 * Runs the tool calls of one reply: prepares each one, asks for approval if the rules require it, runs it and records
 * exactly one result. Adjacent calls of tools that allow it run in parallel; results are recorded in call order.
 */
import type { ContextManager } from '../context/index.ts';
import type { PermissionRecord } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { MentionSource, SkillText } from '../protocol/extensions/skills.ts';
import type { ToolCall } from '../protocol/messages.ts';
import { type Access, type Grant, type PermissionBasis, runsReadOnly } from '../protocol/permissions.ts';
import { quotedName } from '../protocol/text/visible.ts';
import type { Tool, ToolOutcome } from '../protocol/tools.ts';
import {
  type ApprovalPorts,
  authorize,
  type Granted,
  hooked,
  notStarted,
  type Progress,
  prepare,
  refused,
  type Verdict,
} from './authorize.ts';
import type { CallChanges, CheckpointKeeper } from './checkpoints.ts';
import { type InlineRun, skillEntry } from './prompts/skillUse.ts';
import { type Toolset, toolNamed } from './toolset/toolset.ts';

export interface ToolCallPorts extends ApprovalPorts {
  readonly toolset: Pick<Toolset, 'current' | 'find' | 'missing'>;
  readonly context: ContextManager;
  readonly emit: (event: AgentEvent) => void;
  readonly now: () => number;
  readonly checkpoints: Pick<CheckpointKeeper, 'scan' | 'keep' | 'before' | 'cancel' | 'after'>;
  /** True if the sandbox keeps read-only commands from changing anything; they never leave it. */
  readonly confinesReading: () => Promise<boolean>;
  /** Called before a call that is not read-only, which waits for it; returns a function to call after the call. */
  readonly onChanging?:
    | ((access: Access, basis: PermissionBasis) => Promise<(() => Promise<void>) | undefined>)
    | undefined;
  /**
   * Entries of the files that the text of a skill mentions; `isForOther`: for a subagent, which has seen none of them.
   * Absent = they stay text.
   */
  readonly attach?:
    | ((source: MentionSource, signal: AbortSignal, isForOther?: boolean) => Promise<readonly NewEntry[]>)
    | undefined;
}

export interface FinishedCall {
  readonly id: string;
  readonly name: string;
  readonly arguments: string;
  readonly output: string;
}

type ToolCallsEnd =
  | { readonly type: 'finished'; readonly calls: readonly FinishedCall[] }
  /** The user interrupted the turn, or denied a call without a comment for the model. */
  | { readonly type: 'stopped' }
  /** A hook ended the turn. */
  | { readonly type: 'halted' };

/** The outcome of a call, with its changes on disk regardless of that outcome. */
type Ended = Verdict & { readonly changes?: CallChanges };

/** Records exactly one result for every call, whatever happens. */
export async function runToolCalls(calls: readonly ToolCall[], ports: ToolCallPorts): Promise<ToolCallsEnd> {
  const finished: FinishedCall[] = [];
  // If a denial ends the turn, calls of the same batch that are running or awaiting approval end, too.
  const refusal = new AbortController();
  const signal = AbortSignal.any([ports.signal, refusal.signal]);
  let endsTurn = false;
  const run = async (call: ToolCall): Promise<Done> => {
    const done = await runCall(call, { ...ports, signal });
    if (done.endsTurn || (done.verdict.type === 'refused' && done.verdict.stop)) refusal.abort();
    endsTurn ||= done.endsTurn;
    return done;
  };
  for (const batch of batches(calls, ports.toolset.current())) {
    const running = batch.map(async (call) => ({ call, done: await run(call) }));
    for (const one of running) {
      const { call, done } = await one;
      await record(call, done, ports);
      finished.push({
        id: call.id,
        name: call.name,
        arguments: call.arguments,
        output: verdictText(done.verdict),
      });
    }
  }
  if (endsTurn && !ports.signal.aborted) return { type: 'halted' };
  return signal.aborted ? { type: 'stopped' } : { type: 'finished', calls: finished };
}

/** Searches start processes: a reply with thousands of them must not start them all at once. */
const MAX_PARALLEL = 16;

/** Groups adjacent calls that may run in parallel, up to `MAX_PARALLEL`; every other call is a group of its own. */
export function batches(calls: readonly ToolCall[], tools: readonly Tool[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const tool = toolNamed(tools, call.name);
    const isParallel = tool !== undefined && (tool.readOnly || tool.isParallel === true);
    if (isParallel && open !== undefined && open.length < MAX_PARALLEL) open.push(call);
    else {
      const group = [call];
      groups.push(group);
      open = isParallel ? group : undefined;
    }
  }
  return groups;
}

interface Done {
  readonly verdict: Ended;
  readonly title: string;
  readonly durationMs: number;
  /** Notes of hooks for the model. */
  readonly notes: readonly NewEntry[];
  readonly endsTurn: boolean;
}

async function runCall(call: ToolCall, ports: ToolCallPorts): Promise<Done> {
  const started = ports.now();
  const progress: Progress = { title: call.name, notes: [], endsTurn: false };
  const verdict = await (async (): Promise<Ended> => {
    if (ports.signal.aborted) return notStarted;
    if (call.invalid !== undefined) return refused('error', call.invalid);
    const tool = ports.toolset.find(call.name);
    if (tool === undefined) return refused('error', ports.toolset.missing(call.name));
    try {
      // The model may have used another name of the tool, and rules know only one.
      const checked = await prepare(tool, { ...call, name: tool.name }, JSON.parse(call.arguments), ports);
      if (checked.type !== 'checked') return checked;
      progress.title = checked.prepared.title;
      const authorized = await authorize(tool, checked, progress, ports);
      if (authorized.type !== 'granted') return authorized;
      return await runGranted(tool, authorized, progress, ports);
    } catch (error) {
      return unexpected(call, error);
    }
  })();
  const { title, notes, endsTurn } = progress;
  return { verdict, title, durationMs: ports.now() - started, notes, endsTurn };
}

async function runGranted(
  tool: Tool,
  { call, input, prepared, grant, answers }: Granted,
  progress: Progress,
  ports: ToolCallPorts,
): Promise<Ended> {
  const isConfinedReading =
    prepared.access.type === 'command' && runsReadOnly(grant) && (await ports.confinesReading());
  // Write the log to disk first, so that even after a power failure it names every call that changed something.
  const [onChanged] = tool.readOnly
    ? []
    : await Promise.all([
        ports.onChanging?.(prepared.access, grant.basis),
        ...(isConfinedReading
          ? []
          : [ports.context.sync(), ports.checkpoints.before(prepared.access, ports.signal)]),
      ]);
  if (ports.signal.aborted) {
    ports.checkpoints.cancel(prepared.access);
    return notStarted;
  }
  const started = ports.now();
  let ran = await runShown(call, progress.title, () => prepared.run(grant, answers), ports).then(
    (outcome): Verdict => ({ type: 'outcome', outcome, grant }),
    (error: unknown) => unexpected(call, error),
  );
  await onChanged?.();
  const changes =
    tool.readOnly || isConfinedReading
      ? undefined
      : await ports.checkpoints.after(call.id, 'call', prepared.access, ports.signal);
  if (ran.type === 'outcome' && ports.hooks !== undefined && !ports.signal.aborted) {
    const { filesChanged = [] } = changes ?? {};
    const outcome = { ...(filesChanged.length === 0 ? {} : { filesChanged }), ...ran.outcome };
    const durationMs = ports.now() - started;
    const fromHooks = await ports.hooks.after(
      hooked(call, input, prepared),
      { outcome, durationMs },
      ports.signal,
    );
    progress.notes.push(...(fromHooks?.notes ?? []));
    progress.endsTurn ||= fromHooks?.endsTurn === true;
    if (fromHooks?.output !== undefined)
      ran = { ...ran, outcome: replacedOutcome(ran.outcome, fromHooks.output) };
  }
  progress.endsTurn ||= ran.type === 'outcome' && ran.outcome.endsTurn === true;
  return changes === undefined ? ran : { ...ran, changes };
}

/** Drops the original entirely, images and full text included, so that the model cannot find it. */
function replacedOutcome(
  { original: _, excerpt: __, images: ___, ...outcome }: ToolOutcome,
  text: string,
): ToolOutcome {
  const { modelNotes: ____, ...display } = outcome.display;
  return { ...outcome, text, kind: 'text', display };
}

/**
 * Runs a command in a skill's text, or its subagent, like a call of the model, but records no tool call.
 */
export async function runInline(
  { id = '', name, input }: { readonly id?: string; readonly name: string; readonly input: object },
  ports: ToolCallPorts,
): Promise<InlineRun> {
  const call = { id: id === '' ? ports.newId() : id, name, arguments: JSON.stringify(input) };
  const { verdict, notes } = await runCall(call, ports);
  if (notes.length > 0) await ports.context.append(...notes);
  const ran = verdict.type === 'outcome';
  const { status, text } = ran ? verdict.outcome : verdict;
  const stop = verdict.type === 'refused' && verdict.stop;
  return {
    ...{ status, text, ran, stop },
    ...(ran && { outcome: verdict.outcome }),
    ...(verdict.grant && { basis: verdict.grant.basis }),
  };
}

/** Emits `tool_started` and `tool_ended` around the run. */
async function runShown(
  { id: callId, name: tool }: ToolCall,
  title: string,
  run: () => Promise<ToolOutcome>,
  { emit }: ToolCallPorts,
): Promise<ToolOutcome> {
  emit({ type: 'tool_started', callId, tool, title });
  try {
    return await run();
  } finally {
    emit({ type: 'tool_ended', callId });
  }
}

/** A tool that throws has a bug; the session continues, and the model may try something else. */
function unexpected({ name }: ToolCall, error: unknown): Extract<Verdict, { type: 'refused' }> {
  const why = error instanceof Error ? error.message : String(error);
  return refused('error', `${name} failed unexpectedly: ${why}`);
}

async function record(
  call: ToolCall,
  { verdict, title, durationMs, notes }: Done,
  ports: ToolCallPorts,
): Promise<void> {
  const { filesChanged = [], drafts = [] } = verdict.changes ?? {};
  const behind = [
    ...(verdict.type === 'outcome' ? imageEntries(call.id, verdict.outcome) : []),
    ...(verdict.type === 'outcome' && verdict.outcome.skill
      ? await skillEntries(verdict.outcome.skill, call.id, ports)
      : []),
    ...drafts,
    ...notes,
  ];
  const outcome =
    verdict.type === 'outcome'
      ? { ...(filesChanged.length === 0 ? {} : { filesChanged }), ...verdict.outcome }
      : { status: verdict.status, text: verdict.text, display: { title, ...verdict.shown } };
  const { grant } = verdict;
  await ports.context.appendToolResult({
    call,
    outcome,
    durationMs,
    behind,
    ...(grant && { permission: recorded(grant) }),
  });
}

/** The environment follows from the rest, so it is not recorded. */
function recorded({ basis, reason, rule, hiding = [] }: Grant): PermissionRecord {
  return {
    basis,
    ...(reason !== undefined && { reason }),
    ...(rule && { rule }),
    ...(hiding.length > 0 && { hiding: [...hiding] }),
  };
}

async function skillEntries(
  skill: SkillText,
  callId: string,
  { attach, signal }: ToolCallPorts,
): Promise<readonly NewEntry[]> {
  const { mentionSource } = skill;
  const mentioned = mentionSource === undefined ? [] : ((await attach?.(mentionSource, signal)) ?? []);
  return [skillEntry(skill, callId), ...mentioned];
}

/** Tool results hold only text, so images follow as user messages. */
function imageEntries(callId: string, { images = [] }: ToolOutcome): NewEntry[] {
  return images.map(({ path, image }) => ({
    type: 'user',
    subtype: 'image',
    message: { role: 'user', content: [{ type: 'text', text: `The image ${quotedName(path)}:` }, image] },
    data: { path, callId },
  }));
}

function verdictText(verdict: Verdict): string {
  return verdict.type === 'outcome' ? verdict.outcome.text : verdict.text;
}
