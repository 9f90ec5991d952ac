/**
 * Runs the tool calls of one reply: prepares each one, asks for approval if the rules require it, runs it and records
 * exactly one result. Adjacent calls of tools that allow it run in parallel; results are recorded in call order.
 */
import type { ContextManager } from '../context/index.ts';
import type { ToolDisplay } from '../protocol/entries/fields.ts';
import type { NewEntry } from '../protocol/entries.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { FieldAnswer } from '../protocol/forms.ts';
import type { ToolCall } from '../protocol/messages.ts';
import type {
  Access,
  CallQuestion,
  Grant,
  PermissionAnswer,
  PermissionDecision,
  Preview,
  TurnQuestion,
} from '../protocol/permissions.ts';
import type { Mentioning, SkillText } from '../protocol/skills.ts';
import { quotedName } from '../protocol/text/quotedName.ts';
import { toolNames } from '../protocol/toolNames.ts';
import type { PreparedCall, Settled, Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';
import { untilAborted } from '../protocol/untilAborted.ts';
import { type CallChanges, type CheckpointKeeper, mayChangeAnything } from './checkpoints.ts';
import type { AllowedBy, BeforeCall, CallHooks, HookedCall } from './hooks/callHooks.ts';
import { type InlineRun, skillEntry } from './skillUse.ts';
import { type Toolset, toolNamed } from './toolset/toolset.ts';

/** A question before the asking agent's id is added. */
export type NewQuestion = Omit<CallQuestion, 'agentId'> | Omit<TurnQuestion, 'agentId'>;

export interface ToolCallPorts {
  readonly toolset: Pick<Toolset, 'current' | 'find' | 'missing'>;
  readonly context: ContextManager;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  readonly toolContext: (callId: string, tool: string, signal: AbortSignal) => ToolContext;
  /** `call` identifies the tool call; in mode `auto` a judge may take seconds to decide. */
  readonly decide: (tool: string, access: Access, call: DecidedCall) => Promise<PermissionDecision>;
  readonly ask: (question: NewQuestion, signal: AbortSignal) => Promise<PermissionAnswer>;
  /** Applies an answer's effects beyond this call: an "always", or an accepted plan. */
  readonly onAllowed: (question: NewQuestion, access: Access, answer: PermissionAnswer) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
  readonly checkpoints: Pick<CheckpointKeeper, 'scan' | 'before' | 'after'>;
  /** Absent without hooks. */
  readonly hooks?: CallHooks | undefined;
  /** Entries of the files that the text of a skill mentions. Absent = they stay text. */
  readonly attach?:
    | ((mentioning: Mentioning, signal: AbortSignal) => Promise<readonly NewEntry[]>)
    | undefined;
}

/** Identifies a call to be decided about. */
interface DecidedCall {
  readonly id: string;
  readonly input: unknown;
  readonly signal: AbortSignal;
  /** A hook allows it, as an allow rule would. */
  readonly allowedBy?: AllowedBy | undefined;
}

export interface FinishedCall {
  readonly name: string;
  readonly arguments: string;
  readonly output: string;
}

export type ToolCallsEnd =
  | { readonly type: 'finished'; readonly calls: readonly FinishedCall[] }
  /** The user interrupted the turn, or denied a call without a comment for the model. */
  | { readonly type: 'stopped' }
  /** A hook ended the turn. */
  | { readonly type: 'halted' };

type Verdict =
  | { readonly type: 'outcome'; readonly outcome: ToolOutcome; readonly grant?: Grant }
  | {
      readonly type: 'refused';
      /** The basis of the decision if the call was denied permission. */
      readonly grant?: Grant;
      readonly status: 'denied' | 'interrupted' | 'error';
      readonly text: string;
      readonly stop: boolean;
      /** What the user sees instead of `text`, if it differs. */
      readonly shown?: Omit<ToolDisplay, 'title'>;
    };

/** The outcome of a call, with its changes on disk regardless of that outcome. */
type Ended = Verdict & { readonly changes?: CallChanges };

/** Records exactly one result for every call, whatever happens. */
export async function runToolCalls(calls: readonly ToolCall[], ports: ToolCallPorts): Promise<ToolCallsEnd> {
  const finished: FinishedCall[] = [];
  // If a denial ends the turn, calls of the same batch that are running or awaiting approval end, too.
  const refusal = new AbortController();
  const signal = AbortSignal.any([ports.signal, refusal.signal]);
  let isHalted = false;
  const run = async (call: ToolCall): Promise<Done> => {
    const done = await runCall(call, { ...ports, signal });
    if (done.halts || (done.verdict.type === 'refused' && done.verdict.stop)) refusal.abort();
    isHalted ||= done.halts;
    return done;
  };
  for (const batch of batches(calls, ports.toolset.current())) {
    const running = batch.map(async (call) => ({ call, done: await run(call) }));
    for (const one of running) {
      const { call, done } = await one;
      await record(call, done, ports);
      finished.push({ name: call.name, arguments: call.arguments, output: textOf(done.verdict) });
    }
  }
  if (isHalted && !ports.signal.aborted) return { type: 'halted' };
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
  /** What hooks tell the model. */
  readonly notes: readonly NewEntry[];
  /** A hook ends the turn. */
  readonly halts: boolean;
}

/** What becomes known of a call on its way, whatever its end. */
interface Progress {
  title: string;
  readonly notes: NewEntry[];
  halts: boolean;
}

async function runCall(call: ToolCall, ports: ToolCallPorts): Promise<Done> {
  const started = ports.now();
  const progress: Progress = { title: call.name, notes: [], halts: false };
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
      const authorised = await authorise(tool, checked, progress, ports);
      if (authorised.type !== 'granted') return authorised;
      return await runGranted(tool, authorised, progress, ports);
    } catch (error) {
      return unexpected(call, error);
    }
  })();
  const { title, notes, halts } = progress;
  return { verdict, title, durationMs: ports.now() - started, notes, halts };
}

/** A call whose input is valid. */
interface Checked {
  readonly type: 'checked';
  readonly call: ToolCall;
  readonly input: unknown;
  readonly prepared: Ready;
  /** The file whose hook changed the input. */
  readonly changedBy?: string;
}

type Ready = Extract<PreparedCall, { type: 'ready' }>;

async function prepare(
  tool: Tool,
  call: ToolCall,
  input: unknown,
  { toolContext, signal }: ToolCallPorts,
): Promise<Checked | Extract<Verdict, { type: 'refused' }>> {
  const prepared = await tool.prepare(input, toolContext(call.id, call.name, signal));
  return prepared.type === 'invalid'
    ? refused('error', prepared.message)
    : { type: 'checked', call, input, prepared };
}

async function runGranted(
  tool: Tool,
  { call, input, prepared, grant, answers }: Granted,
  progress: Progress,
  ports: ToolCallPorts,
): Promise<Ended> {
  // Write the log to disk first, so that even after a power failure it names every call that changed something.
  if (!tool.readOnly)
    await Promise.all([ports.context.sync(), ports.checkpoints.before(prepared.access, ports.signal)]);
  if (ports.signal.aborted) return notStarted;
  const started = ports.now();
  const ran = await runShown(call, progress.title, () => prepared.run(grant, answers), ports).then(
    (outcome): Verdict => ({ type: 'outcome', outcome, grant }),
    (error: unknown) => unexpected(call, error),
  );
  const changes = tool.readOnly
    ? undefined
    : await ports.checkpoints.after(call.id, 'call', prepared.access, ports.signal);
  if (ran.type === 'outcome' && ports.hooks !== undefined && !ports.signal.aborted) {
    const { filesChanged = [] } = changes ?? {};
    const outcome = { ...(filesChanged.length === 0 ? {} : { filesChanged }), ...ran.outcome };
    const durationMs = ports.now() - started;
    const said = await ports.hooks.after(
      hooked(call, input, prepared),
      { outcome, durationMs },
      ports.signal,
    );
    progress.notes.push(...(said?.notes ?? []));
    progress.halts ||= said?.halts === true;
  }
  return changes === undefined ? ran : { ...ran, changes };
}

function hooked({ id, name }: ToolCall, input: unknown, { access }: Ready): HookedCall {
  return { id, tool: name, input, access };
}

/** Runs a command embedded in a skill's text like a call of Bash, but records no tool call. */
export async function runInline(command: string, ports: ToolCallPorts): Promise<InlineRun> {
  const call = { id: ports.newId(), name: toolNames.bash, arguments: JSON.stringify({ command }) };
  const { verdict, notes } = await runCall(call, ports);
  if (notes.length > 0) await ports.context.append(...notes);
  const ran = verdict.type === 'outcome';
  const { status, text } = ran ? verdict.outcome : verdict;
  const stop = verdict.type === 'refused' && verdict.stop;
  return { status, text, ran, stop, ...(verdict.grant && { basis: verdict.grant.basis }) };
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

interface Granted extends Omit<Checked, 'type'> {
  readonly type: 'granted';
  readonly grant: Grant;
  /** The user's answers to a form. */
  readonly answers?: readonly FieldAnswer[];
}

/** Decides whether the call may run: hooks first, then the rules, then the user if necessary. */
async function authorise(
  tool: Tool,
  first: Checked,
  progress: Progress,
  ports: ToolCallPorts,
): Promise<Granted | Verdict> {
  const { hooks, signal } = ports;
  const { call } = first;
  const said = await hooks?.before(hooked(call, first.input, first.prepared), signal);
  if (signal.aborted) return notStarted;
  const checked = said === undefined ? first : await obey(tool, first, said, progress, ports);
  if (checked.type !== 'checked') return checked;
  const decision = await decideOn(checked, said, ports);
  if (decision === undefined) return notStarted;
  if (decision.behavior === 'allow') return { ...checked, type: 'granted', grant: grantOf(decision) };
  if (decision.behavior === 'deny') {
    const about = hooked(call, checked.input, checked.prepared);
    progress.notes.push(...((await hooks?.denied(about, decision.reason, signal)) ?? []));
    return refused('denied', `Not allowed: ${decision.reason}`, { grant: grantOf(decision) });
  }
  const requested = await hooks?.request(hooked(call, checked.input, checked.prepared), signal);
  if (signal.aborted) return notStarted;
  if (requested === undefined) return askUser(checked, decision, ports);
  const final = await obey(tool, checked, requested, progress, ports);
  if (final.type !== 'checked') return final;
  // What the first hooks have asked for still holds; what they have allowed, only for the input that they saw.
  const allowedBy = requested.allowedBy ?? (requested.changed === undefined ? said?.allowedBy : undefined);
  const both = { ...(said?.asks !== undefined && { asks: said.asks }), ...(allowedBy && { allowedBy }) };
  const again = await decideOn(final, both, ports);
  if (again === undefined) return notStarted;
  if (again.behavior === 'allow') return { ...final, type: 'granted', grant: grantOf(again) };
  if (again.behavior === 'deny')
    return refused('denied', `Not allowed: ${again.reason}`, { grant: grantOf(again) });
  return askUser(final, again, ports);
}

/** Applies what hooks say about a call: denies it, or checks the input that they put in place of its own. */
async function obey(
  tool: Tool,
  checked: Checked,
  said: BeforeCall,
  progress: Progress,
  ports: ToolCallPorts,
): Promise<Checked | Verdict> {
  progress.notes.push(...said.notes);
  progress.halts ||= said.halts;
  if (said.denied !== undefined) return refused('denied', said.denied, { grant: byHook });
  if (said.changed === undefined) return checked;
  const { input, source } = said.changed;
  const changed = await prepare(tool, checked.call, input, ports);
  if (changed.type !== 'checked')
    return refused(
      'error',
      `A hook of the user (${source}) replaced the input by one that is not valid: ${changed.text}`,
    );
  progress.title = changed.prepared.title;
  const note = await ports.hooks?.tellChange(hooked(checked.call, input, changed.prepared), source);
  if (note !== undefined) progress.notes.push(note);
  return { ...changed, changedBy: source };
}

const byHook: Grant = { basis: 'rule', reason: 'a hook' };

/** The decision of the rules and the mode. A hook can turn an allow into a question, but never lift a denial. */
async function decideOn(
  { call, input, prepared }: Checked,
  said: Pick<BeforeCall, 'asks' | 'allowedBy'> | undefined,
  { decide, signal }: ToolCallPorts,
): Promise<PermissionDecision | undefined> {
  // Parsing a huge command takes seconds, and so does a judge: an interrupt does not wait for either.
  const allowedBy = said?.allowedBy;
  const deciding = decide(call.name, prepared.access, {
    id: call.id,
    input,
    signal,
    ...(allowedBy && { allowedBy }),
  });
  const decision = await untilAborted(deciding, signal);
  const asks = said?.asks;
  return decision?.behavior === 'allow' && asks !== undefined ? { behavior: 'ask', reason: asks } : decision;
}

async function askUser(
  checked: Checked,
  decision: PermissionDecision,
  ports: ToolCallPorts,
): Promise<Granted | Verdict> {
  const { call, input, prepared, changedBy } = checked;
  const preview = await previewOf(prepared);
  // The call's outcome is already certain (an edit that does not match, for example): no point in asking the user.
  if (preview.type === 'settled') return { type: 'outcome', outcome: preview.outcome };
  const changed = changedBy === undefined ? '' : ` A hook (${changedBy}) changed the model's call to this.`;
  const question: NewQuestion = {
    id: ports.newId(),
    callId: call.id,
    tool: call.name,
    title: prepared.title,
    input,
    preview,
    reason: `${decision.reason}${changed}`,
    ...(decision.suggestion === undefined ? {} : { suggestion: decision.suggestion }),
    ...(decision.canAutoAllow === true && { canAutoAllow: true }),
  };
  ports.hooks?.notify(hooked(call, input, prepared), ports.signal);
  const answer = await ports.ask(question, ports.signal);
  const isUnasked = answer.behavior === 'deny' && answer.unasked === true;
  const grant: Grant = { basis: isUnasked ? 'mode' : 'user', reason: decision.reason };
  if (answer.behavior === 'allow') {
    await ports.onAllowed(question, prepared.access, answer);
    // Time passed while the question was open, and "always" may have written a rule into the project: scan again.
    if (mayChangeAnything(prepared.access)) ports.checkpoints.scan();
    return { ...checked, type: 'granted', grant, ...(answer.answers && { answers: answer.answers }) };
  }
  if (ports.signal.aborted) return notStarted;
  const comment = answer.comment?.trim() ?? '';
  const stop = answer.interrupt === true;
  const isQuestion = prepared.access.type === 'question';
  if (isUnasked) {
    const said = isQuestion ? comment : `This call was not approved; it did not run. ${comment}`.trimEnd();
    return refused('denied', said, { stop, grant });
  }
  const declined = isQuestion
    ? 'The user declined to answer'
    : `The user declined this call${comment === '' ? '. It' : '; it'} did not run`;
  const text = comment === '' ? `${declined}.` : `${declined}. They say: ${comment}`;
  const shown = { summary: 'declined', modelNotes: text, ...(comment === '' ? {} : { comment }) };
  return refused('denied', text, { stop, grant, shown });
}

/** Read-only calls need no reason. */
function grantOf({ basis = 'mode', reason, rule }: PermissionDecision): Grant {
  return {
    basis: rule === undefined ? basis : 'rule',
    ...(basis !== 'read-only' && { reason }),
    ...(rule && { rule }),
  };
}

async function previewOf(prepared: Extract<PreparedCall, { type: 'ready' }>): Promise<Preview | Settled> {
  try {
    return await prepared.preview();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'text', text: `${prepared.title}\n(no preview: ${why})` };
  }
}

function refused(
  status: 'denied' | 'interrupted' | 'error',
  text: string,
  { stop = false, grant, shown }: { stop?: boolean; grant?: Grant; shown?: Omit<ToolDisplay, 'title'> } = {},
): Extract<Verdict, { type: 'refused' }> {
  return { type: 'refused', status, text, stop, ...(grant && { grant }), ...(shown && { shown }) };
}

/** A tool that throws has a bug; the session continues, and the model may try another way. */
function unexpected({ name }: ToolCall, error: unknown): Extract<Verdict, { type: 'refused' }> {
  const why = error instanceof Error ? error.message : String(error);
  return refused('error', `${name} failed unexpectedly: ${why}`);
}

const notStarted = refused('interrupted', 'The user stopped the turn before this call ran.', { stop: true });

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
    ...(grant && { permission: { ...grant } }),
  });
}

async function skillEntries(
  skill: SkillText,
  callId: string,
  { attach, signal }: ToolCallPorts,
): Promise<readonly NewEntry[]> {
  const { mentionedIn } = skill;
  const mentioned = mentionedIn === undefined ? [] : ((await attach?.(mentionedIn, signal)) ?? []);
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

function textOf(verdict: Verdict): string {
  return verdict.type === 'outcome' ? verdict.outcome.text : verdict.text;
}
