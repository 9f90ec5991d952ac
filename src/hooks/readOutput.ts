/** Reads a hook's output: exit codes and JSON as in Claude Code. Pure. */
import { isAbsolute } from 'node:path';
import * as z from 'zod';
import type { HookEvent } from '../protocol/extensions/hooks.ts';
import { isRecord, JITLESS } from '../protocol/json.ts';
import { visibleLine, visibleText } from '../protocol/text/visible.ts';

/** How a hook ended, whatever its type. */
export interface HookOutput {
  /** Absent if it was killed. */
  readonly exitCode?: number;
  readonly stdout: string;
  readonly stderr: string;
  /** True if it printed more than is kept. */
  readonly isCut: boolean;
  /** Why it has no result: it could not be started, or took too long. */
  readonly problem?: string;
  readonly isCancelled?: boolean;
  /** It ran in the sandbox, since its code may be the model's: what it allows does not count. */
  readonly isConfined?: boolean;
  /** With `isConfined`: what the user can do if it failed. */
  readonly advice?: string;
  /** Why the user must decide about a call that it may guard: it could not look at the call at all. */
  readonly leftToUser?: string;
}

/** The decision of one hook. */
export interface HookVerdict {
  readonly outcome: 'ok' | 'blocked' | 'failed' | 'cancelled';
  readonly problem?: string;
  /** Why it blocks; for the model. */
  readonly block?: string;
  /** Why the turn ends; for the user. */
  readonly stop?: string;
  readonly permission?: { readonly behavior: 'allow' | 'ask' | 'deny'; readonly reason: string };
  readonly updatedInput?: unknown;
  /** The text that the model gets as the result of a call. */
  readonly updatedOutput?: string;
  readonly interrupts?: boolean;
  readonly context?: string;
  readonly message?: string;
  /** Files to watch. */
  readonly watchPaths?: readonly string[];
}

/** Characters of a text for the model. */
const MAX_TEXT = 10_000;
const MAX_MESSAGE = 2000;
const MAX_PROBLEM = 300;

/** Events in which plain output becomes context. */
const plainIsContext: ReadonlySet<HookEvent> = new Set(['UserPromptSubmit', 'SessionStart', 'SubagentStart']);

/** Events that happen whatever a hook says. */
const cannotBlock: ReadonlySet<HookEvent> = new Set([
  'PermissionDenied',
  'SessionStart',
  'SessionEnd',
  'StopFailure',
  'SubagentStart',
  'PostCompact',
  'Notification',
  'CwdChanged',
  'FileChanged',
]);

export function readOutput(event: HookEvent, output: HookOutput): HookVerdict {
  const { exitCode, stdout, stderr, isCut, problem } = output;
  if (output.isCancelled === true) return { outcome: 'cancelled', problem: 'stopped' };
  if (problem !== undefined) return { outcome: 'failed', problem };
  if (exitCode === 2)
    return blocked(event, boundedText(stderr) ?? boundedText(stdout) ?? 'The hook gave no reason.');
  if (exitCode !== 0) {
    const words = visibleLine(stderr.trim() === '' ? stdout : stderr, MAX_PROBLEM);
    return { outcome: 'failed', problem: `exit code ${exitCode}${words === '' ? '' : `: ${words}`}` };
  }
  const text = stdout.trim();
  if (!text.startsWith('{')) {
    const context = plainIsContext.has(event) ? boundedText(stdout) : undefined;
    return { outcome: 'ok', ...(context !== undefined && { context }) };
  }
  if (isCut) return { outcome: 'failed', problem: 'it printed more JSON than is read (1 MB)' };
  return fromJson(event, text);
}

const specificSchema = z.looseObject({
  hookEventName: z.string().optional(),
  permissionDecision: z.enum(['allow', 'deny', 'ask', 'defer']).optional(),
  permissionDecisionReason: z.string().optional(),
  updatedInput: z.record(z.string(), z.unknown()).optional(),
  additionalContext: z.string().optional(),
  /** Of `PostToolUse`; the second one is an earlier name, for MCP tools. */
  updatedToolOutput: z.unknown().optional(),
  updatedMCPToolOutput: z.unknown().optional(),
  /** Of `SessionStart`, `CwdChanged` and `FileChanged`. */
  watchPaths: z.array(z.string()).max(200).optional(),
  /** Of `PermissionDenied`: the model may make the call again. */
  retry: z.boolean().optional(),
  /** Of `PermissionRequest`. */
  decision: z
    .looseObject({
      behavior: z.enum(['allow', 'deny']),
      updatedInput: z.record(z.string(), z.unknown()).optional(),
      message: z.string().optional(),
      interrupt: z.boolean().optional(),
    })
    .optional(),
});

const outputSchema = z.looseObject({
  continue: z.boolean().optional(),
  stopReason: z.string().optional(),
  suppressOutput: z.boolean().optional(),
  systemMessage: z.string().optional(),
  decision: z.enum(['approve', 'block']).optional(),
  reason: z.string().optional(),
  hookSpecificOutput: specificSchema.optional(),
});
type Output = z.infer<typeof outputSchema>;

function fromJson(event: HookEvent, text: string): HookVerdict {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return { outcome: 'failed', problem: 'it printed JSON that cannot be parsed' };
  }
  const parsed = outputSchema.safeParse(value, JITLESS);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    const where = issue?.path.join('.') ?? '';
    return {
      outcome: 'failed',
      problem: `its JSON does not fit: ${visibleLine(`${where} ${issue?.message ?? ''}`, MAX_PROBLEM)}`,
    };
  }
  return verdictOf(event, parsed.data);
}

function verdictOf(event: HookEvent, output: Output): HookVerdict {
  const specific = specificOf(event, output);
  const { decision, reason, systemMessage } = output;
  const isBlocked = decision === 'block' && event !== 'PreToolUse' && event !== 'PermissionRequest';
  const message = boundedText(systemMessage, MAX_MESSAGE);
  const mayRetry = event === 'PermissionDenied' && specific?.retry === true;
  const context = boundedText(
    [specific?.additionalContext ?? '', mayRetry ? 'You may make this call again.' : ''].join('\n'),
  );
  const permission = permissionOf(event, output, specific);
  const updatedInput = specific?.updatedInput ?? specific?.decision?.updatedInput;
  const updatedOutput = event === 'PostToolUse' ? outputOf(specific) : undefined;
  return {
    ...(isBlocked ? blocked(event, boundedText(reason) ?? 'The hook gave no reason.') : { outcome: 'ok' }),
    ...(permission?.behavior === 'deny' && { outcome: 'blocked' }),
    ...(output.continue === false && {
      stop: boundedText(output.stopReason, MAX_MESSAGE) ?? 'a hook ended the turn',
    }),
    ...(permission && { permission }),
    ...(updatedInput !== undefined && { updatedInput }),
    ...(updatedOutput !== undefined && { updatedOutput }),
    ...(specific?.decision?.interrupt === true && { interrupts: true }),
    ...(context !== undefined && { context }),
    ...(message !== undefined && { message }),
    ...(specific?.watchPaths && { watchPaths: specific.watchPaths.filter((path) => isAbsolute(path)) }),
  };
}

/** Characters of a result that replaces another. */
const MAX_OUTPUT = 200_000;

/** A result as text: a text as it is; of another shape the text in it, otherwise its JSON. */
function outputOf(specific: Output['hookSpecificOutput']): string | undefined {
  const value = specific?.updatedToolOutput ?? specific?.updatedMCPToolOutput;
  if (value === undefined || value === null) return undefined;
  return visibleText(resultText(value) ?? JSON.stringify(value))
    .slice(0, MAX_OUTPUT)
    .toWellFormed();
}

/** The text in the shapes of results that hooks get: of a command, a file, a search, a page, an MCP server. */
function resultText(value: unknown): string | undefined {
  if (typeof value === 'string') return value;
  if (Array.isArray(value)) {
    const texts = value.map((block) => (isRecord(block) && block.type === 'text' ? block.text : undefined));
    return texts.every((text) => typeof text === 'string') ? texts.join('\n\n') : undefined;
  }
  if (!isRecord(value)) return undefined;
  const { output, stdout, result, content, file } = value;
  const inside = [output, stdout, result, content, isRecord(file) ? file.content : undefined];
  return inside.map(resultText).find((text) => text !== undefined);
}

/** Output for another event is ignored: a script that is set for several must not answer with the wrong one. */
function specificOf(event: HookEvent, { hookSpecificOutput }: Output): Output['hookSpecificOutput'] {
  const { hookEventName } = hookSpecificOutput ?? {};
  return hookEventName === undefined || hookEventName === event ? hookSpecificOutput : undefined;
}

function permissionOf(
  event: HookEvent,
  { decision, reason }: Output,
  specific: Output['hookSpecificOutput'],
): HookVerdict['permission'] {
  if (event === 'PermissionRequest' && specific?.decision !== undefined) {
    const { behavior, message } = specific.decision;
    return { behavior, reason: boundedText(message ?? reason) ?? '' };
  }
  if (event !== 'PreToolUse' && event !== 'PermissionRequest') return undefined;
  const words = boundedText(specific?.permissionDecisionReason ?? reason) ?? '';
  const { permissionDecision } = specific ?? {};
  // `defer` leaves the call to a program that drives this one; there is none, so the user decides.
  if (permissionDecision !== undefined)
    return { behavior: permissionDecision === 'defer' ? 'ask' : permissionDecision, reason: words };
  if (decision === undefined) return undefined;
  return { behavior: decision === 'block' ? 'deny' : 'allow', reason: words };
}

function blocked(event: HookEvent, reason: string): HookVerdict {
  if (cannotBlock.has(event)) return { outcome: 'failed', problem: visibleLine(reason, MAX_PROBLEM) };
  if (event === 'PreToolUse' || event === 'PermissionRequest')
    return { outcome: 'blocked', permission: { behavior: 'deny', reason } };
  return { outcome: 'blocked', block: reason };
}

/** A text without invisible characters, cut to the limit; undefined if it is empty. */
function boundedText(text: string | undefined, limit = MAX_TEXT): string | undefined {
  if (text === undefined) return undefined;
  const clean = visibleText(text.slice(0, 2 * limit)).trim();
  if (clean === '') return undefined;
  if (clean.length <= limit) return clean;
  return `${clean.slice(0, limit).toWellFormed()}\n(cut at ${limit} characters)`;
}
