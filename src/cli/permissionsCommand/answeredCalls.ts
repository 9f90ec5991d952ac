/** Reads from a session's log the calls that the user was asked about, with the answers. */
import { NOBODY } from '../../headless/denials.ts';
import type { AnsweredCall } from '../../permissions/rules/learnRules.ts';
import type { JSONLEntry } from '../../protocol/entries.ts';
import type { Access } from '../../protocol/permissions.ts';
import { toolNames } from '../../protocol/toolNames.ts';

/**
 * Returns calls whose result records a decision by the user. Left out: results of older versions, which do not record
 * it, and calls denied because there was no user to ask.
 */
export async function answeredCalls(entries: AsyncIterable<JSONLEntry>): Promise<readonly AnsweredCall[]> {
  const open = new Map<string, { readonly tool: string; readonly access: Access }>();
  const found: AnsweredCall[] = [];
  for await (const { tool, toolResult, cwd } of entries) {
    if (tool !== undefined && toolResult === undefined) {
      const access = accessOf(tool.name, tool.input, cwd);
      if (access !== undefined) open.set(tool.id, { tool: tool.name, access });
    }
    if (toolResult === undefined) continue;
    const call = open.get(toolResult.id);
    open.delete(toolResult.id);
    if (call === undefined || toolResult.permission?.basis !== 'user') continue;
    const isDenied = toolResult.status === 'denied';
    if (isDenied && String(toolResult.error ?? toolResult.output).includes(NOBODY)) continue;
    found.push({ ...call, answer: isDenied ? 'denied' : 'allowed' });
  }
  return found;
}

/** Returns the access of a call, for tools whose "always" saves a rule. */
function accessOf(tool: string, input: unknown, cwd: string): Access | undefined {
  if (typeof input !== 'object' || input === null) return undefined;
  const { command, url } = input as { readonly command?: unknown; readonly url?: unknown };
  if (tool === toolNames.bash)
    return typeof command === 'string' ? { type: 'command', command, cwd } : undefined;
  if (tool.startsWith('mcp__')) return { type: 'unknown' };
  if (tool !== toolNames.webFetch || typeof url !== 'string' || !URL.canParse(url)) return undefined;
  return { type: 'web', url, domain: domainOf(url) };
}

/** Returns the host in the same form as the tool: in lower case, without port and trailing dot. */
export const domainOf = (url: string): string => new URL(url).hostname.toLowerCase().replace(/\.$/, '');
