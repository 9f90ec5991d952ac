/**
 * Patterns for paths, written by a repository: `*`, `?` and `{a,b}` within a name, `**` for any folders. Matched in
 * time proportional to pattern and path, whatever is written. Pure.
 */

const MAX_PATTERN = 300;
const MAX_ALTERNATIVES = 64;

/** Returns a function that tests relative paths with `/`. */
export function pathMatcher(pattern: string): (path: string) => boolean {
  if (pattern.length > MAX_PATTERN) return () => false;
  const alternatives = expandBraces(pattern.replace(/^(?:\.?\/)+/, '')).map((one) => one.split('/'));
  return (path) => {
    const names = path.split('/');
    return alternatives.some((steps) => matchSteps(steps, names));
  };
}

/** `**` matches any number of names, also none; the rest of the steps is matched by dynamic programming. */
function matchSteps(steps: readonly string[], names: readonly string[]): boolean {
  /** `reached[n]`: the steps so far can match the first n names. */
  let reached = names.map(() => false);
  reached = [true, ...reached];
  for (const step of steps) {
    const next = reached.map(() => false);
    for (const [index, isReached] of reached.entries()) {
      if (step === '**') next[index] = isReached || (index > 0 && next[index - 1] === true);
      else if (isReached && index < names.length && matchName(step, names[index] ?? ''))
        next[index + 1] = true;
    }
    reached = next;
  }
  return reached[names.length] === true;
}

/** `*` and `?` within one name. Goes back only to the last `*`. */
function matchName(pattern: string, name: string): boolean {
  let [at, from, star, resume] = [0, 0, -1, 0];
  while (at < name.length) {
    const wanted = pattern[from];
    if (wanted === '*') {
      star = from++;
      resume = at;
    } else if (wanted === '?' || wanted === name[at]) {
      from++;
      at++;
    } else if (star !== -1) {
      from = star + 1;
      at = ++resume;
    } else return false;
  }
  return /^\**$/.test(pattern.slice(from));
}

/** The patterns without braces; at most `MAX_ALTERNATIVES`. */
function expandBraces(pattern: string): string[] {
  let open = [pattern];
  const done: string[] = [];
  while (open.length > 0 && open.length + done.length <= MAX_ALTERNATIVES) {
    open = open.flatMap((one) => {
      const [whole, before = '', inside = '', after = ''] = /^([^{]*)\{([^{}]*)\}(.*)$/s.exec(one) ?? [];
      if (whole === undefined) {
        done.push(one);
        return [];
      }
      return inside.split(',').map((choice) => before + choice + after);
    });
  }
  return done.slice(0, MAX_ALTERNATIVES);
}
