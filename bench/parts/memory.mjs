// Memory of a process and all its descendants, in bytes.
import { execFileSync } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';

/** What `treeMemory` counts here: proportional set size where /proc tells it, else resident set size. */
export const memoryKind = readOrNothing('/proc/self/smaps_rollup') === '' ? 'RSS' : 'PSS';

export function treeMemory(root) {
  const parents = memoryKind === 'PSS' ? parentsFromProc() : parentsFromPs();
  return [...parents.keys()]
    .filter((pid) => descends(pid, root, parents))
    .reduce((sum, pid) => sum + memoryOf(pid), 0);
}

function descends(pid, root, parents) {
  for (let at = pid; at !== undefined && at !== 0; at = parents.get(at)) if (at === root) return true;
  return false;
}

function memoryOf(pid) {
  if (memoryKind === 'PSS') {
    const kilobytes = /^Pss:\s+(\d+) kB/m.exec(readOrNothing(`/proc/${pid}/smaps_rollup`))?.[1];
    return Number(kilobytes ?? 0) * 1024;
  }
  return Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) * 1024;
}

function parentsFromProc() {
  const parents = new Map();
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const parent = /^PPid:\s+(\d+)/m.exec(readOrNothing(`/proc/${pid}/status`))?.[1];
    if (parent !== undefined) parents.set(Number(pid), Number(parent));
  }
  return parents;
}

function parentsFromPs() {
  const rows = execFileSync('ps', ['-A', '-o', 'pid=,ppid='], { encoding: 'utf8' }).trim().split('\n');
  return new Map(rows.map((row) => row.trim().split(/\s+/).map(Number)));
}

/** A process may end between being listed and being read. */
function readOrNothing(path) {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return '';
  }
}
