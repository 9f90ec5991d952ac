/** Maximum bytes of a prompt for `-p`, including standard input: more than any context window holds. */
export const MAX_PROMPT_BYTES = 10 * 1024 * 1024;

type JoinedPrompt =
  /** `typed`: the argument, if anything was piped in; empty without an argument. */
  | { readonly type: 'ready'; readonly prompt: string; readonly typed?: string }
  /** `message` says what to do; exit code 42. */
  | { readonly type: 'error'; readonly message: string };

/** Joins the prompt of a headless run: the argument first, then the piped input. Ignores blank parts. */
export function joinPrompt(argument: string | undefined, stdin: string | undefined): JoinedPrompt {
  const piped = (stdin ?? '').replace(/^\uFEFF/, '').trimEnd();
  const prompt = [argument ?? '', piped].filter((part) => part.trim() !== '').join('\n\n');
  if (prompt === '') {
    return {
      type: 'error',
      message: 'no prompt given: pass one (clawdcode -p "…") or pipe one in.',
    };
  }
  if (Buffer.byteLength(prompt) > MAX_PROMPT_BYTES) {
    const message = `the prompt is longer than ${MAX_PROMPT_BYTES / 1024 / 1024} MB. Put it into a file and name the file in the prompt.`;
    return { type: 'error', message };
  }
  const typed = (argument ?? '').trim() === '' ? '' : argument;
  return { type: 'ready', prompt, ...(typed === undefined || typed === prompt ? {} : { typed }) };
}
