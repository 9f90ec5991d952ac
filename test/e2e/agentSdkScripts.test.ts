/**
 * The installed program, driven by the published Claude Agent SDK: each script has the same outcome as in Claude Code,
 * unless docs/agent-sdk.md lists a difference. The package includes a binary that is too large for a dependency, so
 * this is skipped unless CLAWDCODE_TEST_AGENT_SDK names a folder where it and zod are installed.
 *
 * @module-tag long
 */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { play } from '../agentSdk/play.ts';
import { loadAgentSdk } from '../agentSdk/published.ts';
import { scripts } from '../agentSdk/scripts/all.ts';
import { program } from './support/program.ts';

const folder = process.env.CLAWDCODE_TEST_AGENT_SDK;
const root = join(import.meta.dirname, '../..');
const { outcomes } = JSON.parse(
  readFileSync(join(root, 'test/fixtures/agentSdk/claudeCode.json'), 'utf8'),
) as { readonly outcomes: Readonly<Record<string, unknown>> };
const [, differences = ''] = readFileSync(join(root, 'docs/agent-sdk.md'), 'utf8').split('## Differences');

describe.skipIf(folder === undefined)('the published SDK', () => {
  for (const script of scripts) {
    const isDifferent = differences.includes(`\n| ${script.name} |`);
    test(`${script.name}: ${isDifferent ? 'differs as described' : 'as in Claude Code'}`, async () => {
      const { sdk, z } = await loadAgentSdk(folder ?? '');
      const [, path = ''] = program();
      const outcome = JSON.parse(JSON.stringify(await play(script, { path, sdk, z })));
      if (isDifferent) expect(outcome).not.toEqual(outcomes[script.name]);
      else expect(outcome).toEqual(outcomes[script.name]);
    });
  }
});
