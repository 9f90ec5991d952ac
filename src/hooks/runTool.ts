/** Runs one hook as a call of an MCP server's tool: its text is read as the output of a command would be. */
import type { CallTool, HookCall } from '../protocol/extensions/hooks.ts';
import type { HookOutput } from './readOutput.ts';
import { MAX_OUTPUT_BYTES } from './runCommand.ts';

interface ToolHook {
  readonly server: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly input: HookCall['input'];
  readonly timeoutMs: number;
}

const none = { stdout: '', stderr: '', isCut: false };

/** Without its server, a hook that may guard calls looks at none of them. */
const missing = (problem: string): HookOutput => ({
  ...{ ...none, problem },
  leftToUser: `A hook that may guard this call could not run: ${problem}`,
});

/** Never rejects. */
export async function runTool(
  hook: ToolHook,
  callTool: CallTool | undefined,
  signal: AbortSignal,
): Promise<HookOutput> {
  const { server, tool, input, timeoutMs } = hook;
  if (callTool === undefined) return missing('there are no MCP servers');
  const timeout = AbortSignal.timeout(timeoutMs);
  const until = AbortSignal.any([signal, timeout]);
  const asked = filled(hook.arguments, input, 0);
  const answer = await callTool({ server, tool, input: asked, timeoutMs }, until);
  if (signal.aborted) return { ...none, isCancelled: true };
  if (timeout.aborted) return { ...none, problem: `timed out after ${timeoutMs / 1000} s` };
  if (!answer.ok)
    return answer.isMissing === true ? missing(answer.problem) : { ...none, problem: answer.problem };
  const isCut = answer.text.length > MAX_OUTPUT_BYTES;
  return {
    ...none,
    exitCode: 0,
    stdout: isCut ? answer.text.slice(0, MAX_OUTPUT_BYTES) : answer.text,
    isCut,
  };
}

/** Deeper arguments stay as they are. */
const MAX_DEPTH = 10;

/** Fills in `${tool_input.file_path}` in texts with the values of the hook's input. */
function filled(value: unknown, input: HookCall['input'], depth: number): unknown {
  if (typeof value === 'string')
    return value.replace(/\$\{([\w.-]+)\}/g, (_, path: string) => textAt(input, path.split('.')));
  if (depth >= MAX_DEPTH || typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((one) => filled(one, input, depth + 1));
  return Object.fromEntries(Object.entries(value).map(([key, one]) => [key, filled(one, input, depth + 1)]));
}

function textAt(value: unknown, [name, ...rest]: readonly string[]): string {
  if (name === undefined)
    return value === undefined || value === null
      ? ''
      : typeof value === 'string'
        ? value
        : JSON.stringify(value);
  const isObject = typeof value === 'object' && value !== null && Object.hasOwn(value, name);
  return isObject ? textAt((value as Record<string, unknown>)[name], rest) : '';
}
