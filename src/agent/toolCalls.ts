/**
 * Runs the calls of one reply: looks at each, asks where the rules say so, runs it, records its one result.
 * Adjacent read-only calls run beside each other; results are recorded in the order of the calls.
 */
import type { ContextManager } from '../context/index.ts';
import type { AgentEvent } from '../protocol/events.ts';
import type { ToolCall } from '../protocol/messages.ts';
import type {
  Access,
  PermissionAnswer,
  PermissionDecision,
  PermissionQuestion,
  Preview,
} from '../protocol/permissions.ts';
import type { PreparedCall, Tool, ToolContext, ToolOutcome } from '../protocol/tools.ts';

export interface ToolCallPorts {
  readonly tools: readonly Tool[];
  readonly context: ContextManager;
  readonly signal: AbortSignal;
  readonly emit: (event: AgentEvent) => void;
  readonly toolContext: (callId: string) => ToolContext;
  readonly decide: (tool: string, access: Access) => Promise<PermissionDecision>;
  readonly ask: (question: PermissionQuestion) => Promise<PermissionAnswer>;
  /** Acts on an answer that reaches beyond its call: "always", an accepted plan. */
  readonly onAllowed: (
    question: PermissionQuestion,
    access: Access,
    answer: PermissionAnswer,
  ) => Promise<void>;
  readonly newId: () => string;
  readonly now: () => number;
}

export interface FinishedCall {
  readonly name: string;
  readonly arguments: string;
  readonly output: string;
}

export type ToolCallsEnd =
  | { readonly type: 'finished'; readonly calls: readonly FinishedCall[] }
  /** The user stopped the turn, or refused a call without a word for the model. */
  | { readonly type: 'stopped' };

type Verdict =
  | { readonly type: 'outcome'; readonly outcome: ToolOutcome }
  | {
      readonly type: 'refused';
      readonly status: 'denied' | 'interrupted' | 'error';
      readonly text: string;
      readonly stop: boolean;
    };

/** Every call gets exactly one recorded result, whatever happens. */
export async function runToolCalls(calls: readonly ToolCall[], ports: ToolCallPorts): Promise<ToolCallsEnd> {
  const finished: FinishedCall[] = [];
  let stopped = false;
  for (const batch of batches(calls, ports.tools)) {
    const running = batch.map((call) => (stopped ? Promise.resolve(notStarted(call)) : runOne(call, ports)));
    for (const [index, call] of batch.entries()) {
      const done = await running[index];
      if (done === undefined) continue;
      if (done.verdict.type === 'refused' && done.verdict.stop) stopped = true;
      await record(call, done, ports);
      finished.push({ name: call.name, arguments: call.arguments, output: textOf(done.verdict) });
    }
  }
  return stopped || ports.signal.aborted ? { type: 'stopped' } : { type: 'finished', calls: finished };
}

/** Groups adjacent read-only calls; every other call stands alone. */
export function batches(calls: readonly ToolCall[], tools: readonly Tool[]): ToolCall[][] {
  const groups: ToolCall[][] = [];
  let open: ToolCall[] | undefined;
  for (const call of calls) {
    const readOnly = tools.find((tool) => tool.name === call.name)?.readOnly ?? false;
    if (readOnly && open !== undefined) open.push(call);
    else {
      const group = [call];
      groups.push(group);
      open = readOnly ? group : undefined;
    }
  }
  return groups;
}

interface Done {
  readonly verdict: Verdict;
  readonly title: string;
  readonly durationMs: number;
}

async function runOne(call: ToolCall, ports: ToolCallPorts): Promise<Done> {
  const started = ports.now();
  let title = call.name;
  const verdict = await (async (): Promise<Verdict> => {
    if (ports.signal.aborted) return notStarted(call).verdict;
    if (call.invalid !== undefined) return refused('error', call.invalid);
    const tool = ports.tools.find((one) => one.name === call.name);
    if (tool === undefined) {
      const names = ports.tools.map((one) => one.name).join(', ');
      return refused('error', `There is no tool named "${call.name}". The tools are: ${names}.`);
    }
    try {
      const prepared = await tool.prepare(JSON.parse(call.arguments), ports.toolContext(call.id));
      if (prepared.type === 'invalid') return refused('error', prepared.message);
      title = prepared.title;
      const refusal = await authorise(call, prepared, ports);
      if (refusal !== undefined) return refusal;
      if (ports.signal.aborted) return notStarted(call).verdict;
      ports.emit({ type: 'tool_started', callId: call.id, tool: call.name, title });
      const outcome = await prepared.run();
      return { type: 'outcome', outcome };
    } catch (error) {
      // A tool that throws has a bug; the session goes on and the model may try another way.
      return refused(
        'error',
        `${call.name} failed unexpectedly: ${error instanceof Error ? error.message : String(error)}`,
      );
    } finally {
      ports.emit({ type: 'tool_ended', callId: call.id });
    }
  })();
  return { verdict, title, durationMs: ports.now() - started };
}

/** Says why the call must not run, or nothing when it may. */
async function authorise(
  call: ToolCall,
  prepared: Extract<PreparedCall, { type: 'ready' }>,
  ports: ToolCallPorts,
): Promise<Verdict | undefined> {
  const decision = await ports.decide(call.name, prepared.access);
  if (decision.behavior === 'allow') return undefined;
  if (decision.behavior === 'deny') return refused('denied', `Not allowed: ${decision.reason}`);
  const question: PermissionQuestion = {
    id: ports.newId(),
    callId: call.id,
    tool: call.name,
    title: prepared.title,
    input: JSON.parse(call.arguments),
    preview: await previewOf(prepared),
    reason: decision.reason,
    ...(decision.suggestion === undefined ? {} : { suggestion: decision.suggestion }),
  };
  const answer = await ports.ask(question);
  if (answer.behavior === 'allow') {
    await ports.onAllowed(question, prepared.access, answer);
    return undefined;
  }
  if (ports.signal.aborted) return notStarted(call).verdict;
  const comment = answer.comment?.trim();
  const text =
    comment === undefined || comment === ''
      ? 'The user declined this call. It did not run.'
      : `The user declined this call; it did not run. They say: ${comment}`;
  return refused('denied', text, answer.interrupt === true);
}

async function previewOf(prepared: Extract<PreparedCall, { type: 'ready' }>): Promise<Preview> {
  try {
    return await prepared.preview();
  } catch (error) {
    const why = error instanceof Error ? error.message : String(error);
    return { type: 'text', text: `${prepared.title}\n(no preview: ${why})` };
  }
}

function refused(status: 'denied' | 'interrupted' | 'error', text: string, stop = false): Verdict {
  return { type: 'refused', status, text, stop };
}

function notStarted(call: ToolCall): Done {
  const verdict = refused('interrupted', 'The user stopped the turn before this call ran.', true);
  return { verdict, title: call.name, durationMs: 0 };
}

async function record(
  call: ToolCall,
  { verdict, title, durationMs }: Done,
  ports: ToolCallPorts,
): Promise<void> {
  const outcome =
    verdict.type === 'outcome'
      ? verdict.outcome
      : { status: verdict.status, text: verdict.text, display: { title } };
  await ports.context.appendToolResult({ call, outcome, durationMs });
}

function textOf(verdict: Verdict): string {
  return verdict.type === 'outcome' ? verdict.outcome.text : verdict.text;
}
