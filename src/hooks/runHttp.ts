/** Runs one hook as a request: POST with JSON, and the answer read as the output of a command would be. */
import { ByteCollector } from '../protocol/text/byteCollector.ts';
import type { HookOutput } from './readOutput.ts';
import { MAX_OUTPUT_BYTES } from './runCommand.ts';

interface HttpHook {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly allowedEnvVars: readonly string[];
  readonly input: string;
  readonly env: Readonly<Record<string, string | undefined>>;
  readonly timeoutMs: number;
}

export type HookFetch = (url: string, init: RequestInit) => Promise<Response>;

/** Never rejects. A redirect is a failure: the approval was for this address. */
export async function runHttp(hook: HttpHook, fetch: HookFetch, signal: AbortSignal): Promise<HookOutput> {
  const timeout = AbortSignal.timeout(hook.timeoutMs);
  try {
    const response = await fetch(hook.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...expanded(hook) },
      body: hook.input,
      redirect: 'manual',
      signal: AbortSignal.any([signal, timeout]),
    });
    const { text, isCut } = await bounded(response);
    if (response.ok) return { exitCode: 0, stdout: text, stderr: '', isCut };
    return { stdout: '', stderr: text, isCut, problem: `the server answered with status ${response.status}` };
  } catch (error) {
    const none = { stdout: '', stderr: '', isCut: false };
    if (signal.aborted) return { ...none, isCancelled: true };
    if (timeout.aborted) return { ...none, problem: `timed out after ${hook.timeoutMs / 1000} s` };
    const cause = error instanceof Error && error.cause instanceof Error ? error.cause : error;
    return {
      ...none,
      problem: `the request failed: ${cause instanceof Error ? cause.message : String(cause)}`,
    };
  }
}

/** `$NAME` and `${NAME}` in values, for the allowed variables only; others become empty. */
function expanded({ headers, allowedEnvVars, env }: HttpHook): Record<string, string> {
  const allowed = new Set(allowedEnvVars);
  const fill = (value: string): string =>
    value.replace(/\$(?:\{([A-Za-z_]\w*)\}|([A-Za-z_]\w*))/g, (_, braced?: string, bare?: string) => {
      const name = braced ?? bare ?? '';
      return allowed.has(name) ? (env[name] ?? '').replace(/[\r\n]/g, '') : '';
    });
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]));
}

async function bounded(response: Response): Promise<{ readonly text: string; readonly isCut: boolean }> {
  const bytes = new ByteCollector();
  const text = (): string => Buffer.from(bytes.take()).toString('utf8');
  const reader = response.body?.getReader();
  while (reader !== undefined) {
    const { done, value } = await reader.read();
    if (done) break;
    const isCut = bytes.length + value.length > MAX_OUTPUT_BYTES;
    bytes.add(value.subarray(0, MAX_OUTPUT_BYTES - bytes.length));
    if (isCut) {
      void reader.cancel().catch(() => undefined);
      return { text: text(), isCut };
    }
  }
  return { text: text(), isCut: false };
}
