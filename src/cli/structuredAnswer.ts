/** `--json-schema`: the tool for the model's answer; its code is loaded only with the flag. */
import { readFile } from 'node:fs/promises';
import { resolve } from 'node:path';
import type { StructuredOutput } from '../tools/structuredOutput.ts';

/** `given` is JSON text, or a file relative to `cwd`. Undefined without the flag; `mistake` is ready to show. */
export async function openStructuredAnswer(
  given: string | undefined,
  cwd: string,
): Promise<StructuredOutput | { readonly mistake: string } | undefined> {
  if (given === undefined) return undefined;
  try {
    const text = /^\s*\{/.test(given) ? given : await readFile(resolve(cwd, given), 'utf8');
    const { createStructuredOutput } = await import('../tools/structuredOutput.ts');
    return createStructuredOutput(text);
  } catch (error) {
    return { mistake: `--json-schema cannot be used: ${(error as Error).message}.` };
  }
}
