/** `--agent`: the session itself follows the definition of a subagent. */

import type { FolderTrust } from '../../config/trust.ts';
import { EXIT } from '../../headless/exitCodes.ts';
import { visibleLine } from '../../protocol/text/visible.ts';
import type { CliOptions } from '../options.ts';
import type { AppPaths } from '../process/appPaths.ts';
import { usableAgents } from '../subagents/definitions.ts';
import { HeadlessEnd } from './headlessProcess.ts';

/**
 * Adds the definition's instructions, tools and model, where flags do not name others. Throws a `HeadlessEnd` if there is
 * no such definition.
 */
export async function withMainAgent(
  options: CliOptions,
  place: AppPaths,
  trust: FolderTrust,
): Promise<CliOptions> {
  const { agent: name, agents: flag, safeMode: isSafe } = options;
  if (name === undefined) return options;
  const { agents } = await usableAgents({ place, trust, flag, isSafe });
  const found = agents.find((one) => one.name === name);
  if (found === undefined) {
    const names = agents.map((one) => one.name).join(', ');
    const message = `there is no agent ${JSON.stringify(visibleLine(name, 60))} for --agent. Defined: ${names}.`;
    throw new HeadlessEnd(EXIT.badInput, message);
  }
  const { prompt, tools, disallowedTools, model } = found;
  return {
    ...options,
    systemPrompt: options.systemPrompt ?? prompt,
    tools: options.tools ?? tools,
    model: options.model ?? model,
    disallowedTools: [...options.disallowedTools, ...disallowedTools],
  };
}
