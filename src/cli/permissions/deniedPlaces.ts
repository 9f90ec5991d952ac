/**
 * Finds the files that `Read(…)` deny rules cover, so that the sandbox hides them: a rule can only be matched against
 * what a command says, and a program may open any file.
 */
import { dirname } from 'node:path';
import { isInside } from '../../disk/paths.ts';
import { fixedPath, forbids, type PatternPlace } from '../../permissions/files/filePattern.ts';
import { hasGlob } from '../../permissions/files/globOverlap.ts';
import { parseRule, type SourcedRule } from '../../permissions/rules/rules.ts';
import { createDeniedScan } from '../../sandbox/places/projectScan.ts';

interface DeniedPlacesOptions {
  readonly home: string;
  /** The project and the added directories. */
  readonly workspace: readonly string[];
  /** The rules at the moment. */
  readonly rules: () => readonly SourcedRule[];
  readonly realpath: (path: string) => string;
}

interface DeniedPattern {
  readonly spec: string;
  readonly place: PatternPlace;
}

/**
 * Creates a function that returns existing and missing paths, absolute: in the workspace what git does not track and no
 * program creates (see `createDeniedScan`), elsewhere what a rule names without wildcards or as a whole folder. Leaves
 * out `.env` files of the workspace, whose values are redacted from the output, and whatever contains the workspace or
 * the home.
 */
export function createDeniedPlaces({
  home,
  workspace,
  rules,
  realpath,
}: DeniedPlacesOptions): () => readonly string[] {
  let key = '';
  let patterns: readonly DeniedPattern[] = [];
  let scan = createDeniedScan(() => false);
  const kept = [home, ...workspace].flatMap((path) => [path, realpath(path)]);
  return () => {
    const denied = rules().filter(({ behavior }) => behavior === 'deny');
    const now = JSON.stringify(denied.map(({ text, base }) => [text, base]));
    if (now !== key) {
      key = now;
      patterns = denied.flatMap((rule) => patternOf(rule, { home, realpath }));
      const isDenied = (path: string): boolean =>
        !/\/\.env[^/]*$/.test(path) && patterns.some(({ spec, place }) => forbids(spec, [path], place));
      scan = createDeniedScan(isDenied);
    }
    if (patterns.length === 0) return [];
    const roots = workspace.map(realpath);
    const named = patterns
      .flatMap(({ spec, place }) => wholePlace(fixedPath(spec, place)))
      .flatMap((path) => [...new Set([path, realpath(path)])]);
    const isOfProject = (path: string): boolean =>
      [...workspace, ...roots].some((root) => isInside(path, root));
    // A scan does not enter every folder by itself.
    const folders = named.filter(isOfProject).map((path) => realpath(dirname(path)));
    const found = [
      ...[...new Set([...roots, ...folders])].flatMap(scan),
      ...named.filter((path) => !isOfProject(path)),
    ];
    return [...new Set(found)].filter((path) => !kept.some((one) => isInside(one, path)));
  };
}

function patternOf(
  { text, base }: SourcedRule,
  { home, realpath }: Pick<DeniedPlacesOptions, 'home' | 'realpath'>,
): readonly DeniedPattern[] {
  const rule = parseRule(text);
  if ('error' in rule || rule.tool !== 'Read' || rule.spec === undefined) return [];
  return [{ spec: rule.spec, place: { base, home, realpath } }];
}

/** The folder of `folder/**`, or a path without wildcards. */
function wholePlace(pattern: string): readonly string[] {
  const path = pattern.replace(/(?:\/\*\*?)+$/, '');
  return path === '' || hasGlob(path) || path.includes('{') ? [] : [path];
}
