/** Connects an agent with its subagents: the tool that starts them, and what they share with the agent. */
import type { ContextManager } from '../../context/index.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { Tool, ToolContext, ToolOutcome } from '../../protocol/tools.ts';
import type { Questions } from '../approvals.ts';
import type { Judge } from '../auto/judge.ts';
import type { CheckpointKeeper } from '../checkpoints.ts';
import type { Modes } from '../modes.ts';
import type { Clock } from '../reply.ts';
import { type AgentCall, agentTool } from './agentTool.ts';
import { Subagents } from './Subagents.ts';
import type { SubagentPort } from './types.ts';

type Start = (call: AgentCall, context: ToolContext) => Promise<ToolOutcome>;

/** The tool is created before the code that runs its calls; `connect` supplies that code. */
export interface SubagentTool {
  /** The same tool as long as the definitions are the same. */
  tool(): Tool;
  connect(start: Start): void;
}

export function createSubagentTool(port: SubagentPort): SubagentTool {
  let start: Start = () => Promise.reject(new Error('The subagent tool is not connected.'));
  let of = port.definitions;
  const create = (): Tool => agentTool(port, (call, context) => start(call, context));
  let tool = create();
  return {
    tool() {
      if (of !== port.definitions) tool = create();
      of = port.definitions;
      return tool;
    },
    connect(to) {
      start = to;
    },
  };
}

interface Starter {
  readonly subagents?: SubagentPort;
  readonly context: Pick<ContextManager, 'append'>;
  readonly interactive: boolean;
  readonly clock: Pick<Clock, 'now'>;
  readonly onError: (error: unknown) => void;
}

interface StarterCore {
  readonly emit: (event: AgentEvent) => void;
  readonly questions: Questions;
  readonly modes: Modes;
  readonly facts: { readonly promptId: string | undefined };
  readonly subagentTool: SubagentTool | undefined;
}

/** Returns undefined for an agent that cannot start subagents. */
export function connectSubagents(
  { subagents: port, context, interactive, clock, onError }: Starter,
  { emit, questions, modes, facts, subagentTool }: StarterCore,
  { checkpoints, judge }: { readonly checkpoints: CheckpointKeeper; readonly judge: Judge },
): Subagents | undefined {
  if (port === undefined || subagentTool === undefined) return undefined;
  const subagents = new Subagents({
    port,
    lend: (callId) => ({
      mode: modes.current,
      setMode: modes.set,
      promptId: () => facts.promptId,
      modelProblem: port.modelProblem,
      judge,
      checkpoints: (running) => checkpoints.lend(callId, running),
    }),
    ask: questions.ask,
    emit,
    record: (entry) => context.append(entry),
    interactive,
    now: clock.now,
    onError,
  });
  subagentTool.connect((call, toolContext) => subagents.start(call, toolContext));
  return subagents;
}
