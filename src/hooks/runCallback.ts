/** Runs one hook as a function of the driving program: its answer is read as the JSON that a command would print. */
import type { CallBack, HookCall } from '../protocol/extensions/hooks.ts';
import type { HookOutput } from './readOutput.ts';
import { MAX_OUTPUT_BYTES } from './runCommand.ts';

interface CallbackHook {
  readonly id: string;
  readonly input: HookCall['input'];
  readonly timeoutMs: number;
}

/** Never rejects. */
export async function runCallback(
  { id, input, timeoutMs }: CallbackHook,
  callBack: CallBack | undefined,
  signal: AbortSignal,
): Promise<HookOutput> {
  const none = { stdout: '', stderr: '', isCut: false };
  if (callBack === undefined) return { ...none, problem: 'no program drives this session' };
  const timeout = AbortSignal.timeout(timeoutMs);
  const answer = await callBack(id, input, AbortSignal.any([signal, timeout]));
  if (signal.aborted) return { ...none, isCancelled: true };
  if (!answer.ok)
    return { ...none, problem: timeout.aborted ? `timed out after ${timeoutMs / 1000} s` : answer.problem };
  const { value } = answer;
  // A function that returns nothing agrees.
  if (value === undefined || value === null) return { ...none, exitCode: 0 };
  if (typeof value !== 'object' || Array.isArray(value))
    return { ...none, problem: 'its answer is not an object' };
  const stdout = JSON.stringify(value);
  const isCut = stdout.length > MAX_OUTPUT_BYTES;
  return { ...none, exitCode: 0, stdout: isCut ? stdout.slice(0, MAX_OUTPUT_BYTES) : stdout, isCut };
}
