/** Applies the rules of a project to one of its worktrees, which has the same files elsewhere. Pure. */
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
  /** Resolves links; also in a path whose end does not exist. */
  readonly realpath: (path: string) => string;
}

/**
 * A rule about a file of the project applies to the same file of the worktree. A deny or ask rule still applies to the
 * project's own file as well; an allow rule only if it contains that file's full path.
 */
export function rulesInWorktree(rules: readonly SourcedRule[], worktree: Worktree): readonly SourcedRule[] {
  return rules.flatMap((rule) => {
    const parsed = parseRule(rule.text);
    if ('error' in parsed || parsed.spec === undefined || !FILE_TOOLS.test(parsed.tool)) return [rule];
    const { root, path, home } = worktree;
    const absolute = absolutePattern(parsed.spec, home);
    if (absolute === undefined) {
      if (!contains(root, rule.base)) return [rule];
      const moved = { ...rule, base: join(path, relative(root, rule.base)) };
      return rule.behavior === 'allow' ? [moved] : [rule, moved];
    }
    const rests = rule.behavior === 'allow' ? restIn(root, absolute) : restsIn(absolute, worktree);
    return [rule, ...rests.map((rest) => ({ ...rule, text: `${parsed.tool}(/${rest})`, base: path }))];
  });
}

const FILE_TOOLS = /^(?:Read|Edit|Write|MultiEdit|NotebookEdit|Grep|Glob)$/;

/** The absolute path of a pattern that does not depend on a base, wildcards included. */
function absolutePattern(spec: string, home: string): string | undefined {
  if (spec.startsWith('//')) return spec.slice(1);
  return spec.startsWith('~/') ? join(home, spec.slice(2)) : undefined;
}

/** The part of a pattern after the root; empty if it does not lead there, or reaches it with `**`. */
function restIn(root: string, pattern: string): readonly string[] {
  const [folders, parts] = [root.split('/'), pattern.split('/')];
  const leadsThere = folders.every(
    (folder, at) =>
      folder === parts[at] || (parts[at] !== '**' && picomatch.isMatch(folder, parts[at] ?? '')),
  );
  return leadsThere ? [parts.slice(folders.length).join('/')] : [];
}

/** The same for a deny or ask pattern, however it reaches the root, including by links and with `**`. */
function restsIn(pattern: string, { root, realpath }: Worktree): readonly string[] {
  const parts = pattern.split('/');
  const wild = parts.findIndex((part) => /[*?[{(!]/.test(part));
  const fixed = parts.slice(0, wild === -1 ? parts.length : wild).join('/');
  const resolved = `${realpath(fixed === '' ? '/' : fixed)}${pattern.slice(fixed.length)}`;
  return [
    ...new Set([pattern, resolved].flatMap((one) => [...restIn(root, one), ...restsByGlob(root, one)])),
  ];
}

/** A `**` that reaches the root may end there, or in a subfolder. */
function restsByGlob(root: string, pattern: string): readonly string[] {
  const parts = pattern.split('/');
  return parts.flatMap((part, at) => {
    const start = parts.slice(0, at + 1).join('/');
    if (start === '' || !picomatch.isMatch(root, start, { dot: true })) return [];
    return [parts.slice(part === '**' ? at : at + 1).join('/')];
  });
}
