// The program in a pseudo-terminal, its screen read back through a headless one.
import { setTimeout as pause } from 'node:timers/promises';
import pty from '@lydell/node-pty';
import headless from '@xterm/headless';

const PATIENCE = 120_000;

/** Starts it; `startedAt` is the moment of the spawn (performance.now()). */
export function openTerminal(program, { cwd, env, args = [], columns = 120, rows = 40 }) {
  const screen = new headless.Terminal({ cols: columns, rows, allowProposedApi: true, scrollback: 200 });
  const startedAt = performance.now();
  const child = pty.spawn(process.execPath, [program, ...args], {
    name: 'xterm-256color',
    cols: columns,
    rows,
    cwd,
    env,
  });
  const exited = new Promise((done) => child.onExit(done));
  const looks = new Set();
  const raws = new Set();
  let bytes = 0;
  screen.onData((reply) => child.write(reply));
  const lookAgain = () => {
    for (const look of [...looks]) look();
  };
  child.onData((data) => {
    bytes += Buffer.byteLength(data);
    for (const raw of [...raws]) raw(data);
    screen.write(data, lookAgain);
  });
  const text = () => {
    const { active } = screen.buffer;
    const line = (_, row) => active.getLine(active.baseY + row)?.translateToString(true) ?? '';
    return Array.from({ length: screen.rows }, line).join('\n');
  };
  return {
    pid: child.pid,
    startedAt,
    exited,
    text,
    write: (data) => child.write(data),
    /** Bytes that came out so far. */
    bytes: () => bytes,
    /** Resolves with the time at which the condition first holds; asked after every piece of output. */
    until: (condition, what) => within(looks, condition, () => `${what} never came:\n${text()}`),
    /** Resolves with the time at which the screen shows it. */
    shows: (wanted) =>
      within(
        looks,
        () => wanted.test(text()),
        () => `the screen never showed ${wanted}:\n${text()}`,
      ),
    /** Resolves with the time at which the output, escapes and all, held these characters. */
    printed(wanted) {
      let end = '';
      let found = false;
      const hear = (data) => {
        const all = end + data;
        found ||= all.includes(wanted);
        end = all.slice(-wanted.length);
      };
      raws.add(hear);
      const asked = within(
        raws,
        () => found,
        () => `${wanted} was never printed:\n${text()}`,
      );
      return asked.finally(() => raws.delete(hear));
    },
    async end() {
      child.kill();
      await exited;
      screen.dispose();
    },
  };
}

async function within(looks, condition, message) {
  const cancel = new AbortController();
  let look;
  const met = new Promise((done) => {
    look = () => {
      if (condition()) done(performance.now());
    };
    looks.add(look);
    look();
  });
  const late = pause(PATIENCE, undefined, { signal: cancel.signal }).then(() => {
    throw new Error(message());
  });
  late.catch(() => undefined);
  try {
    return await Promise.race([met, late]);
  } finally {
    looks.delete(look);
    cancel.abort();
  }
}
