// Killed while a tool runs, then taken up without a screen.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { program } from '../parts/place.mjs';
import { start } from '../parts/runs.mjs';
import { replyWithCall, replyWithText, startServer } from '../parts/server.mjs';

export const rows = [
  {
    key: 'ms',
    label: 'kill -9 in a tool, then resume headless: its end',
    unit: 'ms',
    peer: 'killed',
    aim: 200,
    isTime: true,
  },
  { key: 'first', label: '  its first request', unit: 'ms', isTime: true },
];

export async function measure(place) {
  const home = join(place.env.HOME, `killed-${Math.random().toString(36).slice(2)}`);
  mkdirSync(home);
  const server = await startServer((index, response) => {
    if (index === 0) replyWithCall(response, index, 'Bash', { command: 'echo begun; sleep 20' });
    else replyWithText(response, 'Taken up.');
  });
  const there = place.with({ ...server.access, HOME: home });
  const first = start([program, '-p', '--permission-mode', 'bypassPermissions', 'work'], there);
  while (server.arrivals.length === 0) await pause(20);
  // Until the command runs.
  await pause(700);
  first.kill('SIGKILL');
  await first.ended;
  const again = start([program, '-p', '--continue', 'go on'], there);
  const { code, ms, stdout, stderr } = await again.ended;
  await server.stop();
  if (code !== 0 || !stdout.includes('Taken up.')) throw new Error(`exit code ${code}: ${stdout}${stderr}`);
  return { ms, first: server.arrivals[1] - again.startedAt };
}
