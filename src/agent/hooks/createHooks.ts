/** Creates an agent's hooks from its hook port. */
import { randomUUID } from 'node:crypto';
import { basename } from 'node:path';
import type { ContextManager } from '../../context/index.ts';
import type { AgentEvent } from '../../protocol/events.ts';
import type { HookPort } from '../../protocol/extensions/hooks.ts';
import type { ModelInfo } from '../../protocol/models/model.ts';
import type { PermissionMode } from '../../protocol/permissions.ts';
import type { TaskInfo } from '../../protocol/tasks.ts';
import type { Job } from '../jobQueue.ts';
import { promptText } from '../prompts/promptQueue.ts';
import type { ParentAgent } from '../subagents/types.ts';
import type { AgentTasks } from '../tasks.ts';
import { type Toolset, toolNamed } from '../toolset/toolset.ts';
import { type CallHooks, createCallHooks } from './callHooks.ts';
import { createSessionHooks, type HookedAgent, type SessionHooks } from './sessionHooks.ts';
import { createTurnHooks, type SessionOrigin, type TurnHooks } from './turnHooks.ts';

/** The hooks of a session, and why it was opened. Closed with the agent, unless it is a subagent. */
export interface HookDeps {
  readonly port: HookPort;
  readonly origin: SessionOrigin;
  /** Present for a subagent, which has hooks for its start and end instead of those of a session. */
  readonly agent?: HookedAgent;
}

interface HookParts {
  readonly hooks?: HookDeps | undefined;
  readonly parent?: ParentAgent;
  /** False in headless runs. */
  readonly interactive: boolean;
  readonly context: ContextManager;
  readonly model: { current(): Pick<ModelInfo, 'id' | 'effort'> };
  readonly newId: () => string;
  readonly onError: (error: unknown) => void;
}

/** The agent's shared parts that hooks need. */
interface HookCore {
  readonly emit: (event: AgentEvent) => void;
  readonly modes: { current(): PermissionMode };
  readonly facts: { readonly cwd: string; promptId: string | undefined };
  readonly toolset: Pick<Toolset, 'current'>;
  readonly notice: (level: 'info' | 'warning', text: string) => void;
}

/** Both are absent without hooks. */
export function createHooks(
  { hooks, parent, interactive, context, model, newId, onError }: HookParts,
  { emit, modes, facts, toolset, notice }: HookCore,
  tasks: Pick<AgentTasks, 'list'>,
): { readonly callHooks?: CallHooks; readonly turnHooks?: TurnHooks } {
  if (hooks === undefined) return {};
  const { port, origin, agent } = hooks;
  const cwd = (): string => facts.cwd;
  const place = createPlaceHooks({
    ...{ port, cwd, onError, watches: agent === undefined },
    hooks: () => session,
  });
  const session: SessionHooks = createSessionHooks({
    ...{ port, context, emit, newId, agent, cwd },
    onWatchPaths: place.watch,
    mode: modes.current,
    promptId: () => parent?.promptId() ?? facts.promptId,
    effort: () => model.current().effort,
  });
  place.watch([]);
  return {
    callHooks: createCallHooks(session, {
      ...{ interactive, onError },
      settlePlace: place.settle,
      todos: () => context.todos(),
      serverOf: (tool) => toolNamed(toolset.current(), tool)?.server,
    }),
    turnHooks: createTurnHooks(session, {
      ...{ origin, agent, interactive, notice, onError },
      onPrompt() {
        facts.promptId = randomUUID();
      },
      onEnd: place.close,
      tasks: () => backgroundTasks(tasks.list()),
      model: () => model.current().id,
      transcript: () => context.filePath() ?? '',
      summary: () =>
        promptText(context.entries().findLast((entry) => entry.isCompactSummary)?.message.content),
    }),
  };
}

/** Returns a function that queues the hooks of the session's start when it is called for the first time. */
export function startOnce(hooks: TurnHooks | undefined, add: (job: Job) => void): () => void {
  let isDue = hooks?.hasStart === true;
  return () => {
    if (isDue && hooks !== undefined) add((signal) => hooks.sessionStart(signal));
    isDue = false;
  };
}

// The hooks for a change of the session's folder, or of a file in it that hooks watch.

interface PlaceHooks {
  /** Watches the files that hooks name; called again when a hook names others. */
  watch(paths: readonly string[]): void;
  /** Runs the hooks if the current folder has changed since the last call. */
  settle(signal: AbortSignal): Promise<void>;
  close(): void;
}

interface PlaceHookDeps {
  readonly port: Pick<HookPort, 'watch'>;
  readonly hooks: () => SessionHooks;
  readonly cwd: () => string;
  /** False for a subagent, which has its own folder but watches nothing. */
  readonly watches: boolean;
  readonly onError: (error: unknown) => void;
}

function createPlaceHooks({ port, hooks, cwd, watches, onError }: PlaceHookDeps): PlaceHooks {
  const closing = new AbortController();
  let last = cwd();
  let paths: readonly string[] = [];
  const watch = (): void => {
    if (!watches || closing.signal.aborted) return;
    port.watch({ cwd: last, paths }, ({ path, event }) => {
      const fields = { file_path: path, event };
      hooks()
        .run('FileChanged', { subject: basename(path), fields }, closing.signal)
        .catch(onError);
    });
  };
  return {
    watch(named) {
      paths = named;
      watch();
    },
    async settle(signal) {
      const now = cwd();
      if (now === last) return;
      const fields = { old_cwd: last, new_cwd: now };
      last = now;
      watch();
      await hooks().run('CwdChanged', { fields }, signal);
    },
    close() {
      closing.abort();
    },
  };
}

// Describes running background tasks to hooks, in Claude Code's format. Pure.

/** Maximum characters of a description or a command. */
const MAX_TEXT = 1000;

function backgroundTasks(tasks: readonly TaskInfo[]): object[] {
  return tasks.flatMap(({ id, kind, command, end }): object[] => {
    if (end !== undefined) return [];
    const about = { id, type: kind ?? 'shell', status: 'running', description: clipped(command) };
    if (kind === undefined) return [{ ...about, command: clipped(command) }];
    // A subagent's line is its name and its task: `explore: find the parser`.
    const [agent = '', ...task] = command.split(': ');
    return [{ ...about, description: clipped(task.join(': ')), agent_type: agent }];
  });
}

function clipped(text: string): string {
  if (text.length <= MAX_TEXT) return text;
  return `${text.slice(0, MAX_TEXT).toWellFormed()}… [+${text.length - MAX_TEXT} chars]`;
}
