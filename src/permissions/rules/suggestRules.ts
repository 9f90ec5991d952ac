/** What "always" means for files, web addresses and tools. Commands have their own (`suggestForCommand.ts`). */
import { dirname, relative } from 'node:path';
import type { RuleSuggestion } from '../../protocol/permissions.ts';
import type { FileVerdict } from '../files/fileDecision.ts';
import type { Policy } from '../policy.ts';

/** Maximum rules offered at once, since the prompt shows them in full. */
export const maxRules = 5;

/**
 * The effect of "always" for files: edits are accepted for the session by changing the mode; a directory outside the
 * workspace becomes readable for the session. Suggests nothing for secrets and for files that a rule asks about.
 */
export function suggestForFiles(
  tool: string,
  verb: 'read' | 'write',
  verdicts: readonly FileVerdict[],
  policy: Policy,
): RuleSuggestion | undefined {
  const asks = verdicts.filter(({ behavior }) => behavior === 'ask');
  if (verb === 'write') {
    if (policy.mode !== 'default' || !asks.every(({ cause }) => cause === 'mode')) return undefined;
    return {
      rules: [],
      destination: 'mode',
      label: 'Yes, allow all edits this session',
      detail: 'switches to accept edits mode',
    };
  }
  if (!asks.every(({ cause }) => cause === 'outside')) return undefined;
  const rules = [...new Set(asks.map(({ realPath }) => readRule(tool, realPath, policy)))];
  if (rules.length > maxRules || rules.some((rule) => rule === undefined)) return undefined;
  const saved = rules.filter((rule) => rule !== undefined);
  return {
    rules: saved,
    destination: 'session',
    label: `Yes, and allow ${saved.join(', ')} for this session`,
    detail: 'nothing is saved',
  };
}

/** System folders contain unrelated files of many programs. */
const systemFolder =
  /^(?:\/private)?\/(?:etc|proc|sys|dev|run|boot|root|var\/(?:lib|log|spool|db|mail))(?:\/|$)/;

/** A rule for the file's directory, unless that covers practically everything. */
export function readRule(tool: string, path: string, policy: Policy): string | undefined {
  if (/[*?[\]{}()!\n]/.test(path)) return undefined;
  const listsDirectories = tool === 'Grep' || tool === 'Glob';
  const directory = listsDirectories ? path : dirname(path);
  const broad = ['/', policy.home, policy.realpath(policy.home), dirname(policy.home)];
  if (!listsDirectories && systemFolder.test(path)) return `Read(/${path})`;
  if (!broad.includes(directory)) return `Read(/${directory}/**)`;
  return listsDirectories || broad.includes(path) ? undefined : `Read(/${path})`;
}

/** "Always" for one tool of an MCP server. */
export function suggestForTool(tool: string, policy: Policy): RuleSuggestion {
  return saveLocally([tool], policy);
}

/** Suggests rules for the local settings file, which the detail names. `host`: what they are about, if it is one. */
export function saveLocally(rules: readonly string[], policy: Policy, host?: string): RuleSuggestion {
  const file = policy.localSettingsFile;
  const relativePath = relative(policy.root, file);
  const shown = relativePath.startsWith('..') ? file : relativePath;
  // The rule also lets commands connect to the host, so the user should see that.
  const detail = host === undefined ? '' : `${rules.join(', ')}, for pages and connections of commands · `;
  return {
    rules,
    destination: 'local',
    file,
    label: `Yes, and don't ask again for ${host ?? rules.join(', ')}`,
    detail: `${detail}saved to ${shown}`,
  };
}
