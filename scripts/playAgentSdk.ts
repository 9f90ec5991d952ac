/**
 * Plays the scripts of `test/agentSdk` through the published Claude Agent SDK and prints what each one found out. With
 * `--record`, writes it as the fixture that our own program is compared with: run that with the Claude Code that comes
 * with the SDK, which has its version.
 *
 *     npm install --prefix FOLDER @anthropic-ai/claude-agent-sdk zod
 *     npx node scripts/playAgentSdk.ts FOLDER FOLDER/node_modules/@anthropic-ai/claude-agent-sdk-linux-x64/claude --record
 *     npx node scripts/playAgentSdk.ts FOLDER bin/clawdcode.js [a pattern of scripts' names]
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { play } from '../test/agentSdk/play.ts';
import { loadAgentSdk } from '../test/agentSdk/published.ts';
import { scripts } from '../test/agentSdk/scripts/all.ts';

const [folder, program, ...rest] = process.argv.slice(2);
if (folder === undefined || program === undefined)
  throw new Error('Usage: playAgentSdk.ts <folder> <program>');
const isRecording = rest.includes('--record');
const [wanted = ''] = rest.filter((one) => !one.startsWith('--'));
const { sdk, z, version } = await loadAgentSdk(resolve(folder));
const target = join(import.meta.dirname, '../test/fixtures/agentSdk/claudeCode.json');
const before = isRecording && wanted !== '' ? JSON.parse(readFileSync(target, 'utf8')).outcomes : {};

const outcomes: Record<string, unknown> = {};
for (const script of scripts.filter(({ name }) => new RegExp(wanted).test(name))) {
  const outcome = await play(script, { path: resolve(program), sdk, z });
  outcomes[script.name] = outcome;
  console.log(`${script.name}: ${JSON.stringify(outcome)}`);
}
if (isRecording)
  writeFileSync(
    target,
    `${JSON.stringify({ sdk: version, outcomes: { ...before, ...outcomes } }, null, 2)}\n`,
  );
process.exit();
