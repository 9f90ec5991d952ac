/** Whether all files that a pattern or a folder stands for may be shown: they are looked at, one by one. */
import { basename, relative } from 'node:path';
import type { PermissionDecision } from '../../protocol/permissions.ts';
import { decideFile, inWorkspace } from '../files/fileDecision.ts';
import { globsOverlap, hasGlob } from '../files/globOverlap.ts';
import { isSensitive } from '../files/sensitive.ts';
import type { Shown } from '../lookups/gitShown.ts';
import type { Policy } from '../policy.ts';
import type { OpenPattern, Tree } from '../readOnly/use.ts';
import { locate } from './words.ts';

const allowed: PermissionDecision = {
  behavior: 'allow',
  basis: 'read-only',
  reason: 'Nothing in it is secret.',
};

/** What another command of the line prints, or the command's own input. */
export const isNoFile = (word: string): boolean => /^\/dev\/(?:fd\/\d+|stdin|null)$/.test(word);

/** A file may be called like an option, and a name with a blank may become several words. */
export function decidePattern(
  { pattern, bare }: OpenPattern,
  directory: string,
  policy: Policy,
): PermissionDecision {
  if (pattern.startsWith('-')) return { behavior: 'ask', reason: `${pattern} may be an option.` };
  const mayBeOption = /^[*?[]/.test(pattern);
  if (!mayBeOption && !bare) return allowed;
  const files = policy.expandGlob(locate(pattern, directory, policy));
  if (files === undefined)
    return { behavior: 'ask', reason: `${pattern} stands for files that cannot all be looked at.` };
  const names = files.map((file) => relative(directory, file));
  const option = mayBeOption ? names.find((name) => name.startsWith('-')) : undefined;
  if (option !== undefined) return { behavior: 'ask', reason: `A file is called ${option}, like an option.` };
  const split = bare ? names.find((name) => !/^[\w@%+=:,./-]+$/.test(name)) : undefined;
  if (split === undefined) return allowed;
  return { behavior: 'ask', reason: `${split} becomes several words, or another file.` };
}

/**
 * Whether every file below a folder may be shown. Between this look and the command another program could put a file
 * there; a program that can do that can also read it.
 */
export function decideTree(tree: Tree, directory: string, what: string, policy: Policy): PermissionDecision {
  if (isNoFile(tree.path)) return allowed;
  const place = locate(tree.path, directory, policy);
  const places = hasGlob(tree.path) ? policy.expandGlob(place) : [place];
  if (places === undefined)
    return { behavior: 'ask', reason: `${tree.path} stands for files that cannot all be looked at.` };
  for (const at of [place, ...places]) {
    const { behavior, cause, reason } = decideFile(
      { tool: 'Read', verb: 'read', path: at },
      policy,
      at === place,
    );
    // Each match of a pattern is judged on its own; where only a folder's name suggests secrets, its files are.
    const isName = at === place && (hasGlob(tree.path) || (tree.only !== undefined && cause === 'secret'));
    if (behavior !== 'allow' && !(isName && behavior === 'ask')) return { behavior, reason };
  }
  const hasRules = policy.rules.some(({ behavior }) => behavior !== 'allow');
  for (const at of places) {
    const found = policy.filesBelow(policy.realpath(at), tree);
    if (found === undefined) {
      if (tree.codeOnly === true && !hasRules) continue;
      return { behavior: 'ask', reason: `${what} reads files that cannot all be looked at.` };
    }
    const { files, links, folders } = found;
    const odd = tree.plainNames
      ? [...files, ...links, ...folders].find((path) => /[\s"'\\]/.test(path))
      : undefined;
    if (odd !== undefined) return { behavior: 'ask', reason: `${odd} would be taken for several names.` };
    for (const path of files) {
      if (tree.namesOnly || !mayMatch(tree, path) || (!hasRules && !isSensitive(path))) continue;
      const { behavior, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
      if (behavior !== 'allow')
        return { behavior, reason: `${what} shows ${relative(policy.root, path)}: ${reason}` };
    }
    for (const path of tree.follows ? links : []) {
      if (tree.only !== undefined && !mayMatch(tree, path)) continue;
      const target = policy.realpath(path);
      const { behavior, cause, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
      const isNamed = tree.namesOnly && cause === 'secret' && inWorkspace(target, policy);
      if (behavior !== 'allow' && !isNamed) return { behavior, reason };
      if (tree.namesOnly) continue;
      if (policy.isDirectory(target) && !(inWorkspace(target, policy) && tree.only !== undefined))
        return { behavior: 'ask', reason: `${path} leads to another folder.` };
    }
  }
  return allowed;
}

/** Whether the files that git tracks below some places may be shown; a place that is none counts as everything. */
export function decideTracked(
  tracked: readonly string[],
  directory: string,
  what: string,
  policy: Policy,
): PermissionDecision {
  const files = policy.trackedFiles(policy.realpath(directory));
  if (files === undefined) return { behavior: 'ask', reason: `What ${what} searches is not known.` };
  const places = tracked.map((place) => policy.realpath(locate(place, directory, policy)));
  const areAll = !places.every((place) => policy.isDirectory(place) || files.includes(place));
  const hasRules = policy.rules.some(({ behavior }) => behavior !== 'allow');
  for (const path of files) {
    const isMeant = areAll || places.some((place) => path === place || path.startsWith(`${place}/`));
    if (!isMeant || (!hasRules && !isSensitive(path))) continue;
    const { behavior, reason } = decideFile({ tool: 'Read', verb: 'read', path }, policy);
    if (behavior !== 'allow')
      return { behavior, reason: `${what} shows ${relative(policy.root, path)}: ${reason}` };
  }
  return allowed;
}

/** Whether the files may be shown whose content git shows: also those that it tracked once, and that are gone. */
export function decideShown(shown: Shown, place: string, what: string, policy: Policy): PermissionDecision {
  const hasRules = policy.rules.some(({ behavior }) => behavior !== 'allow');
  const held = (path: string): PermissionDecision | undefined => {
    if (!hasRules && !isSensitive(path)) return undefined;
    const decision = decideFile({ tool: 'Read', verb: 'read', path }, policy);
    return decision.behavior === 'allow' ? undefined : decision;
  };
  const files = policy.gitShows(place, shown);
  if (files === undefined) {
    // A history may be too long to be listed. What is tracked now is then all that is looked at.
    const tracked = policy.trackedFiles(place);
    if (tracked !== undefined && !tracked.some(held)) return allowed;
    return { behavior: 'ask', reason: `Which files ${what} shows is not known.` };
  }
  for (const path of files) {
    const found = held(path);
    if (found)
      return {
        behavior: found.behavior,
        reason: `${what} shows ${relative(policy.root, path)}: ${found.reason}`,
      };
  }
  return allowed;
}

const mayMatch = ({ only }: Tree, path: string): boolean =>
  only === undefined ||
  only.some((pattern) => globsOverlap(pattern, basename(path).replace(/[*?[\]{}()\\]/g, '?')));
