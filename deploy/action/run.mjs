// The step of action.yml that runs the program: inputs come as variables, outputs go to the files of the runner.
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { appendFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

const { PROMPT = '', PERMISSION_MODE, ALLOWED_TOOLS, MAX_TURNS, MAX_BUDGET_USD, ...env } = process.env;
const flags = {
  '--permission-mode': PERMISSION_MODE,
  '--allowed-tools': ALLOWED_TOOLS,
  '--max-turns': MAX_TURNS,
  '--max-budget-usd': MAX_BUDGET_USD,
};
const given = Object.entries(flags).flatMap(([flag, value]) => (value ? [`${flag}=${value}`] : []));
const program = fileURLToPath(new URL('../../bin/clawdcode.js', import.meta.url));
const child = spawn(process.execPath, [program, '-p', '--output-format', 'json', ...given], {
  env,
  stdio: ['pipe', 'pipe', 'inherit'],
});
child.stdin.on('error', () => {});
child.stdin.end(PROMPT);
const chunks = [];
child.stdout.on('data', (chunk) => chunks.push(chunk));
// A job that is cancelled gets SIGINT, then SIGTERM.
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => child.kill(signal));
child.on('close', (code) => {
  report(Buffer.concat(chunks).toString('utf8'));
  process.exitCode = code ?? 1;
});

function report(json) {
  const file = join(env.RUNNER_TEMP ?? tmpdir(), `clawdcode-${randomUUID()}.json`);
  writeFileSync(file, json);
  let result = {};
  try {
    result = JSON.parse(json);
  } catch {
    // It ended before there was a result; standard error says why.
  }
  const text = result.result ?? result.errors?.join('\n') ?? '';
  output('result', text);
  output('session-id', result.session_id ?? '');
  output('cost-usd', String(result.total_cost_usd ?? ''));
  output('result-file', file);
  if (env.GITHUB_STEP_SUMMARY) appendFileSync(env.GITHUB_STEP_SUMMARY, `${text}\n`);
}

function output(name, value) {
  // No text can contain the end mark.
  const end = randomUUID();
  if (env.GITHUB_OUTPUT) appendFileSync(env.GITHUB_OUTPUT, `${name}<<${end}\n${value}\n${end}\n`);
}
