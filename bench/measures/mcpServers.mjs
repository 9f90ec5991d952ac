// Five local MCP servers: what a session with them costs beside one without, in the same minute. The first session waits
// for the servers; later ones know their tools, and start the servers in the background.
import { rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { median } from '../parts/numbers.mjs';
import { program } from '../parts/place.mjs';
import { wholeRun } from '../parts/runs.mjs';
import { interactiveStart } from '../parts/screenStart.mjs';
import { replyWithText, startServer } from '../parts/server.mjs';

const fresh = 'five MCP servers, first session: spawn → first request';

export const rows = [
  { key: 'fresh', label: fresh, unit: '× without', digits: 2 },
  { key: 'known', label: '… later sessions', unit: '× without', digits: 2, aim: 1.1 },
  { key: 'exit', label: '… last reply → exit', unit: '× without', digits: 2 },
  { key: 'typed', label: '… first typed character on screen', unit: '× without', digits: 2, aim: 1.1 },
];

const testServer = join(dirname(fileURLToPath(import.meta.url)), '../../test/mcp/support/server.mjs');

export const isOnce = true;

export async function measure(place, { quick, note }) {
  const definition = { command: process.execPath, args: [testServer] };
  const names = ['one', 'two', 'three', 'four', 'five'];
  const config = join(place.env.TMPDIR, 'servers.json');
  writeFileSync(
    config,
    JSON.stringify({ mcpServers: Object.fromEntries(names.map((name) => [name, definition])) }),
  );
  const withServers = ['--mcp-config', config];
  // A flag of its own for the start without: reading flags takes time too.
  const withoutServers = ['--mcp-config', '{"mcpServers":{}}'];
  const found = { none: [], fresh: [], known: [], exit: [], exitNone: [], typed: [], typedNone: [] };
  for (let round = 0; round < (quick ? 3 : 12); round++) {
    rmSync(join(place.env.HOME, '.clawdcode/mcp-lists'), { recursive: true, force: true });
    const fresh = await firstRequest(place, withServers);
    // Neither comes always first: the second of two starts finds more in the caches of the machine.
    const order = round % 2 === 0 ? [withoutServers, withServers] : [withServers, withoutServers];
    for (const flags of order) {
      const { ms, exitMs, tools } = await firstRequest(place, flags);
      const isWith = flags === withServers;
      if (isWith !== (tools === fresh.tools)) throw new Error(`${tools} tools, and ${fresh.tools} at first`);
      found[isWith ? 'known' : 'none'].push(ms);
      found[isWith ? 'exit' : 'exitNone'].push(exitMs);
      const { typedMs } = await interactiveStart(program, { ...place, args: flags });
      found[isWith ? 'typed' : 'typedNone'].push(typedMs);
    }
    found.fresh.push(fresh.ms);
  }
  const over = (of) => ({
    fresh: of(found.fresh) / of(found.none),
    known: of(found.known) / of(found.none),
    exit: of(found.exit) / of(found.exitNone),
    typed: of(found.typed) / of(found.typedNone),
  });
  const fastest = over((values) => Math.min(...values));
  const shown = Object.entries(fastest).map(([key, value]) => `${key} ${value.toFixed(2)}`);
  note(`MCP servers: medians of ${found.none.length} starts; the fastest of each: ${shown.join(', ')}`);
  return over(median);
}

async function firstRequest(place, flags) {
  let [tools, repliedAt] = [0, 0];
  const server = await startServer((_, response, body) => {
    tools = JSON.parse(body()).tools.length;
    repliedAt = performance.now();
    replyWithText(response, 'Hello.');
  });
  const startedAt = performance.now();
  await wholeRun([program, '-p', 'hello', ...flags], place.with(server.access));
  const exitMs = performance.now() - repliedAt;
  await server.stop();
  return { ms: server.arrivals[0] - startedAt, exitMs, tools };
}
