/** Removes secrets from the output of tools: decides which output is searched, and by which redactor. */
import { type Grant, runsReadOnly } from '../protocol/permissions.ts';

/** Removes secrets from text that arrives in pieces. */
export interface TextRedactor {
  /** Returns the text so far, redacted; holds back an end that could be the beginning of a secret. */
  write(text: string): string;
  /** Returns what can be shown now, although more will follow. */
  release(): string;
  /** Returns the held-back text; no more follows. */
  flush(): string;
}

/** How much of a file a permission decision searches for secrets; a larger file may contain others. */
export const JUDGED_BYTES = 2_000_000;

/**
 * Opens a redactor for output that the model gets without approval, because any file may hold a secret. Undefined if the
 * user or a rule approved everything that the call shows, or there is no redactor to open.
 */
export async function redactorOfUnapproved(
  grant: Grant,
  open: (() => Promise<TextRedactor>) | undefined,
): Promise<TextRedactor | undefined> {
  return isApproved(grant) ? undefined : open?.();
}

/** The judge, and the user's choice to run what is in the sandbox, approve what a command does, not what it shows. */
const isApproved = (grant: Grant): boolean =>
  !runsReadOnly(grant) &&
  grant.isGuarded !== true &&
  grant.showsUnapproved !== true &&
  grant.basis !== 'judge' &&
  grant.basis !== 'sandbox';

/** Returns a complete text without secrets. The redactor cannot be used again. */
export const withoutSecrets = (text: string, redactor: TextRedactor | undefined): string =>
  redactor === undefined ? text : `${redactor.write(text)}${redactor.flush()}`;

/** Combines redactors: each gets what the one before it returns. Undefined if there is none. */
export function redactInTurn(redactors: readonly TextRedactor[]): TextRedactor | undefined {
  if (redactors.length < 2) return redactors[0];
  return {
    write: (text) => redactors.reduce((left, redactor) => redactor.write(left), text),
    release: () => redactors.reduce((left, redactor) => redactor.write(left) + redactor.release(), ''),
    flush: () => redactors.reduce((left, redactor) => redactor.write(left) + redactor.flush(), ''),
  };
}
