/** Rules of a project as they apply in a worktree of it, which has the same files elsewhere. Pure. */
import { join, relative } from 'node:path';
import picomatch from 'picomatch';
import { contains } from '../files/filePattern.ts';
import { parseRule, type SourcedRule } from './rules.ts';

interface Worktree {
  /** The project's root, absolute. */
  readonly root: string;
  /** The worktree's folder, absolute. */
  readonly path: string;
  readonly home: string;
}

/**
 * What a rule says about a file of the project applies to the same file of the worktree. A rule that forbids or asks
 * still applies to the project's own file, too; one that allows only if it names that file by its whole path.
 */
export function rulesInWorktree(rules: readonly SourcedRule[], worktree: Worktree): readonly SourcedRule[] {
  return rules.flatMap((rule) => {
    const moved = movedRule(rule, worktree);
    if (moved === undefined) return [rule];
    return moved.isWhole || rule.behavior !== 'allow' ? [rule, moved.rule] : [moved.rule];
  });
}

const FILE_TOOLS = /^(?:Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob)$/;

/** The rule for the worktree; undefined if it is the same rule there. */
function movedRule(
  rule: SourcedRule,
  { root, path, home }: Worktree,
): { readonly rule: SourcedRule; readonly isWhole: boolean } | undefined {
  const parsed = parseRule(rule.text);
  if ('error' in parsed || parsed.spec === undefined || !FILE_TOOLS.test(parsed.tool)) return undefined;
  const whole = wholePath(parsed.spec, home);
  if (whole !== undefined) {
    const rest = restIn(root, whole);
    if (rest === undefined) return undefined;
    return { rule: { ...rule, text: `${parsed.tool}(/${rest})`, base: path }, isWhole: true };
  }
  if (!contains(root, rule.base)) return undefined;
  return { rule: { ...rule, base: join(path, relative(root, rule.base)) }, isWhole: false };
}

/** The absolute path of a pattern that does not depend on a base, wildcards included. */
function wholePath(spec: string, home: string): string | undefined {
  if (spec.startsWith('//')) return spec.slice(1);
  return spec.startsWith('~/') ? join(home, spec.slice(2)) : undefined;
}

/** What follows the root in a pattern; undefined if it does not lead there, or reaches it with `**`. */
function restIn(root: string, pattern: string): string | undefined {
  const [folders, parts] = [root.split('/'), pattern.split('/')];
  const leadsThere = folders.every(
    (folder, at) =>
      folder === parts[at] || (parts[at] !== '**' && picomatch.isMatch(folder, parts[at] ?? '')),
  );
  return leadsThere ? parts.slice(folders.length).join('/') : undefined;
}
