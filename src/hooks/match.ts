/** Whether a hook is meant for a tool call or another occurrence of its event. */
import { createContext, Script } from 'node:vm';

/** Former and other names of tools that hooks of other programs use. */
const otherNames: Readonly<Record<string, readonly string[]>> = {
  Agent: ['Task'],
  BashOutput: ['TaskOutput'],
  Edit: ['MultiEdit'],
  KillBash: ['KillShell', 'TaskStop'],
};

/**
 * A regular expression may backtrack forever; then the hook runs, since it may be there to block. Long enough for any
 * other expression on a busy machine; the verdict is kept, so it is waited for once.
 */
const REGEX_TIMEOUT_MS = 500;

/** Longer subjects (the name of a server's tool) are cut. */
const MAX_SUBJECT = 300;

export type Matcher = (subject: string | undefined) => boolean;

/**
 * Compiles a matcher, as Claude Code reads them: empty or `*` is everything; letters, digits, `_`, `-`, spaces, `,` and
 * `|` are exact names; anything else is a regular expression that is found anywhere in the name. Undefined if the
 * expression is invalid.
 */
export function compileMatcher(written: string): Matcher | undefined {
  const text = written.trim();
  if (text === '' || text === '*') return () => true;
  if (/^[\w\s,|-]+$/.test(text)) {
    const names = new Set(text.split(/[|,]/).map((name) => name.trim()));
    return (subject) => subject === undefined || namesOf(subject).some((name) => names.has(name));
  }
  try {
    new RegExp(text);
  } catch {
    return undefined;
  }
  const verdicts = new Map<string, boolean>();
  return (subject) => {
    if (subject === undefined) return true;
    let verdict = verdicts.get(subject);
    if (verdict === undefined) {
      verdict = namesOf(subject).some((name) => isFound(text, name.slice(0, MAX_SUBJECT)));
      verdicts.set(subject, verdict);
    }
    return verdict;
  };
}

function namesOf(subject: string): readonly string[] {
  return Object.hasOwn(otherNames, subject) ? [subject, ...(otherNames[subject] ?? [])] : [subject];
}

/** Only a script in a context of its own can be stopped while it matches. */
function isFound(pattern: string, subject: string): boolean {
  const script = new Script('new RegExp(pattern).test(subject)');
  try {
    return script.runInContext(createContext({ pattern, subject }), { timeout: REGEX_TIMEOUT_MS }) === true;
  } catch {
    return true;
  }
}
