/** Runs one hook by asking a model, or a read-only agent, whether an event may proceed. */
import * as z from 'zod';
import type { HookCall, HookEvent, HookQuestion, JudgeHook } from '../protocol/extensions/hooks.ts';
import { JITLESS } from '../protocol/json.ts';
import { shortened } from '../protocol/text/visible.ts';
import type { HookOutput } from './readOutput.ts';

interface JudgeRun {
  readonly hook: Pick<HookQuestion, 'type' | 'prompt' | 'model'> & { readonly continuesOnBlock?: true };
  readonly call: Pick<HookCall, 'event' | 'input'>;
  readonly timeoutMs: number;
}

/** Characters of the event: an approximate limit for small context windows. */
const MAX_INPUT = 40_000;

const answerSchema = z.looseObject({ ok: z.boolean(), reason: z.string().optional() });

/** Never rejects. What the model decides can block; it never allows what would otherwise be asked or denied. */
export async function runJudge(
  { hook, call, timeoutMs }: JudgeRun,
  ask: JudgeHook | undefined,
  signal: AbortSignal,
): Promise<HookOutput> {
  const none = { stdout: '', stderr: '', isCut: false };
  if (ask === undefined) return { ...none, problem: 'no model can be asked' };
  const { type, model } = hook;
  const prompt = filled(hook.prompt, shortened(JSON.stringify(call.input), MAX_INPUT));
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await ask(
    { type, prompt, ...(model === undefined ? {} : { model }) },
    AbortSignal.any([signal, timeout]),
  );
  if (signal.aborted) return { ...none, isCancelled: true };
  if (timeout.aborted) return { ...none, problem: `timed out after ${timeoutMs / 1000} s` };
  if (!answer.ok) return { ...none, problem: answer.problem };
  const verdict = answerSchema.safeParse(jsonIn(answer.text), JITLESS);
  if (!verdict.success)
    return { ...none, stderr: answer.text, problem: 'the model did not answer with {"ok": true|false}' };
  const { ok, reason = 'The condition is not met.' } = verdict.data;
  const output = ok ? {} : objection(call.event, reason, hook.continuesOnBlock === true);
  return { ...none, exitCode: 0, stdout: JSON.stringify(output) };
}

/** Without a placeholder, the event follows the prompt. Source: Claude Code, `$ARGUMENTS`. */
function filled(prompt: string, input: string): string {
  return prompt.includes('$ARGUMENTS') ? prompt.split('$ARGUMENTS').join(input) : `${prompt}\n\n${input}`;
}

/** The JSON that a command would print to block. After a call, the turn ends unless the hook lets it continue. */
function objection(event: HookEvent, reason: string, continues: boolean): object {
  if (event === 'PreToolUse')
    return {
      hookSpecificOutput: {
        ...{ hookEventName: event, permissionDecision: 'deny', permissionDecisionReason: reason },
      },
    };
  if (event === 'PermissionRequest')
    return { hookSpecificOutput: { hookEventName: event, decision: { behavior: 'deny', message: reason } } };
  const isAfter = event === 'PostToolUse' || event === 'PostToolUseFailure';
  const ends = isAfter && !continues ? { continue: false, stopReason: reason } : {};
  return { decision: 'block', reason, ...ends };
}

/** Finds the JSON object in what a model wrote: alone, in a code block, or after its thoughts. Undefined if none. */
function jsonIn(text: string): unknown {
  // From the last end of thoughts on: looking for the end of each of many beginnings would take quadratic time.
  const plain = text.slice(text.lastIndexOf('</think>') + 1);
  const [from, to] = [plain.indexOf('{'), plain.lastIndexOf('}')];
  if (from === -1 || to < from) return undefined;
  try {
    return JSON.parse(plain.slice(from, to + 1));
  } catch {
    return undefined;
  }
}
